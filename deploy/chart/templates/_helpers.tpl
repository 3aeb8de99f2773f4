{{/* Value as text. Writes whole numbers without the exponent that Helm uses from 1000000. */}}
{{- define "telltale.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) }}{{ int64 . }}{{ else }}{{ toString . }}{{ end }}
{{- end }}

{{/* values.cores in thousandths of a core. Accepts Kubernetes quantities such as 4, 1.5 or 500m. */}}
{{- define "telltale.millicores" -}}
{{- $cores := toString .Values.cores }}
{{- if hasSuffix "m" $cores }}{{ trimSuffix "m" $cores | int64 }}{{ else }}{{ mulf $cores 1000 | ceil | int64 }}{{ end }}
{{- end }}

{{- define "telltale.image" -}}
{{ .Values.image.repository }}:{{ include "telltale.text" (.Values.image.tag | default .Chart.AppVersion) }}
{{- end }}

{{/* Name of the CronJob. Kubernetes allows 52 characters; a longer name is cut and ends in a digest to stay unique. */}}
{{- define "telltale.cronJob" -}}
{{- $name := .Release.Name }}
{{- if gt (len $name) 46 }}{{ $name = printf "%s-%s" (trunc 40 $name) (sha256sum $name | trunc 5) }}{{ end }}
{{- $name }}-trust
{{- end }}

{{/* Fields of every pod's spec: the chart's defaults, each overridden by values.pod. */}}
{{- define "telltale.pod" -}}
automountServiceAccountToken: {{ .Values.pod.automountServiceAccountToken | default false }}
# Service links would set TELLTALE_PORT to the address of the Service.
enableServiceLinks: {{ .Values.pod.enableServiceLinks | default false }}
{{- $security := dict "runAsNonRoot" true "runAsUser" 1000 "fsGroup" 1000 "seccompProfile" (dict "type" "RuntimeDefault") }}
securityContext: {{ mergeOverwrite $security (.Values.pod.securityContext | default dict) | toJson }}
{{- with omit .Values.pod "automountServiceAccountToken" "enableServiceLinks" "securityContext" "terminationGracePeriodSeconds" "volumes" }}
{{ toYaml . }}
{{- end }}
{{- end }}
