// Words that the project does not use, as lint rules for documents, sentences in the code and comments.

/** Patterns of rejected words, each with its replacement. Match whole words in any case, outside code in documents. */
const TERMS = [
  ['accus(?:e|es|ed|ing)', 'flag, false positive'],
  ['false alarms?', 'false positive'],
  ['pictures?', 'image'],
  ['twins?', 'near-duplicate, paired fake or duplicate request'],
  ['hunts?', 'data collection'],
  ['towers?', 'backbone'],
  ['finders?', 'face detector'],
  ['storeys?', 'layer'],
  ['whoever', 'the role: operator, caller, reader'],
  ["can(?:'t|not| not) be had", 'unavailable'],
  ['put in force', 'activate'],
  ['taken back', 'roll back'],
  ['training room', 'training code'],
  ['early ends?', 'early exit'],
  ['bare loops?', 'upper bound'],
  ['treatments?', 'perturbation'],
  ['evened', 'smoothed'],
  ['loud units?', 'outlier channels'],
  ['wishes', 'options'],
  ['dealt', 'distributed'],
  ['urgency', 'priority'],
  ['rounds? of training', 'fine-tuning run'],
  ['half of the way', 'weight interpolation (α)'],
  ['owners? of images', 'source'],
];

const message = (instead) => `Write: ${instead}.`;

/** Selectors for text of Markdown. */
export const inDocuments = TERMS.map(([word, instead]) => ({
  selector: `text[value=/(?<![\\w-])(?:${word})(?![\\w-])/i]`,
  message: message(instead),
}));

/** Selectors for strings with a blank, which people read, and for text between tags. */
export const inTexts = TERMS.flatMap(([word, instead]) => {
  const pattern = `/(?<![\\w-])(?:${word})(?![\\w-])/i`;
  return [
    `Literal[value=/ /][value=${pattern}]`,
    `TemplateElement[value.cooked=/ /][value.cooked=${pattern}]`,
    `JSXText[value=${pattern}]`,
  ].map((selector) => ({ selector, message: message(instead) }));
});

/** Rules for comments: a pattern, its kind, and the advice. Matches inside `code` and quotations are ignored. */
export const COMMENT_RULES = [
  {
    kind: 'opening',
    pattern: /^(?:What|Why|How|Who|Whom|Whose|Which|Of|Those|Whether) /,
    instead: 'begin with a verb (functions) or with a noun that names the kind (constants)',
  },
  { kind: 'phrase', pattern: /\b(?:that|those) of\b/i, instead: 'repeat the noun' },
  {
    kind: 'phrase',
    pattern: /\bwhere (?:no|none|it|nothing|nobody)\b/i,
    instead: 'write: if, when, without',
  },
  { kind: 'phrase', pattern: /(?<![\w.])beside\b/i, instead: 'write: in addition to, next to, with' },
  { kind: 'phrase', pattern: /\bbut for\b/i, instead: 'write: except' },
  { kind: 'phrase', pattern: /\b(?:is|are) none\b/, instead: 'use the positive form' },
  ...TERMS.map(([word, instead]) => ({
    kind: 'term',
    pattern: new RegExp(`(?<![\\w-])(?:${word})(?![\\w-])`, 'i'),
    instead: `write: ${instead}`,
  })),
];

/** Returns what COMMENT_RULES reject in the text of a comment, as { kind, found, instead }. */
export function findWording(text) {
  const prose = text.replace(/`[^`]*`|'[^' ]+'|"[^"]*"|https?:\S+/g, '``');
  return COMMENT_RULES.flatMap(({ kind, pattern, instead }) => {
    const found = pattern.exec(prose)?.[0];
    return found === undefined ? [] : [{ kind, found, instead }];
  });
}

/** ESLint rule: reports comments that COMMENT_RULES reject. Consecutive line comments count as one. */
const plainComments = {
  meta: { type: 'suggestion', schema: [], messages: { rejected: '"{{found}}" in a comment: {{instead}}.' } },
  create: ({ sourceCode, report }) => ({
    Program() {
      let earlier = null;
      for (const comment of sourceCode.getAllComments()) {
        const text = comment.value.replace(/^[*\s]+|\n\s*\*\s?/g, ' ').trim();
        const continues =
          comment.type === 'Line' &&
          earlier?.type === 'Line' &&
          earlier.loc.end.line + 1 === comment.loc.start.line;
        for (const { kind, found, instead } of findWording(text))
          if (kind !== 'opening' || !continues)
            report({ loc: comment.loc, messageId: 'rejected', data: { found, instead } });
        earlier = comment;
      }
    },
  }),
};

export const wording = { rules: { 'plain-comments': plainComments } };
