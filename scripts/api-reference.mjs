// Generates src/library/API.md, the reference of the library's exports, from its types and comments.
import { join } from 'node:path';
import ts from 'typescript';
import { CheckResultSchema } from '../src/library/dist/check/result-schema.js';
import * as library from '../src/library/dist/index.js';
import { root } from './setup/run.mjs';

/** Names of fields in HTTP responses that can't be derived from the library's names. */
const HTTP_NAMES = {
  CheckReport: {
    credentials: 'content_credentials',
    fullImageScore: 'scores.full_image_specialist',
    faceScore: 'scores.face_specialist',
    drawn: 'details.thresholds.drawn',
    patches: 'details.heatmap.patches',
    part: 'details.heatmap.peak',
    panels: 'details.heatmap.panels',
    views: 'details.timings.views',
    bands: 'details.thresholds',
    // Empty, because HTTP returns only the thresholds of the check's own profile.
    thresholds: '',
  },
  Credentials: { validationCodes: 'details.credentials.validation_status' },
};

/** JSON paths below which the fields of a type may be in HTTP responses, the most likely path first. */
const HTTP_PARENTS = {
  CheckReport: ['', 'details.'],
  Credentials: ['content_credentials.', 'details.credentials.'],
};

/** Returns the JSON paths of all fields of a schema. */
function listPaths(schema, prefix = '') {
  const inner = (schema.anyOf ?? []).flatMap((each) => listPaths(each, prefix));
  const fields = Object.entries(schema.properties ?? {});
  return [
    ...inner,
    ...fields.flatMap(([name, each]) => [prefix + name, ...listPaths(each, `${prefix}${name}.`)]),
  ];
}

const httpPaths = new Set(listPaths(CheckResultSchema));

/** Returns the JSON path of a field in HTTP responses; an empty text if HTTP does not have the field. */
function httpName(type, field) {
  const own = HTTP_NAMES[type]?.[field];
  if (own && !httpPaths.has(own)) throw new Error(`HTTP has no field ${own}, which ${type}.${field} names`);
  const snake = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return own ?? HTTP_PARENTS[type].map((parent) => parent + snake).find((path) => httpPaths.has(path)) ?? '';
}

const plain = (text) =>
  text
    .replace(/\/\*\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .trim();
const code = (text) => (text === '' ? '' : `\`${text}\``);
const cell = (text) => text.replaceAll('|', '\\|');

/** Returns the text of API.md. */
export function describeLibrary() {
  const entry = join(root, 'src/library/index.ts');
  const { options } = ts.getParsedCommandLineOfConfigFile(
    join(root, 'src/library/tsconfig.json'),
    {},
    ts.sys,
  );
  const program = ts.createProgram([entry], options);
  const checker = program.getTypeChecker();
  const comment = (symbol) => plain(ts.displayPartsToString(symbol.getDocumentationComment(checker)));

  const describeFields = (name, members) => {
    const hasHttp = name in HTTP_PARENTS;
    const rows = members
      .filter((member) => member.name && !ts.isPrivateIdentifier(member.name))
      .map((member) => {
        const field = member.name.getText();
        const type = plain(
          member.type && !ts.isMethodSignature(member) ? member.type.getText() : member.getText(),
        );
        const cells = [code(`${field}${member.questionToken ? '?' : ''}`), code(type)];
        if (hasHttp) cells.push(code(httpName(name, field)));
        cells.push(comment(checker.getSymbolAtLocation(member.name)));
        return `| ${cells.map(cell).join(' | ')} |`;
      });
    const heads = ['field', 'type', ...(hasHttp ? ['in HTTP'] : []), 'meaning'];
    return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...rows].join('\n');
  };

  // Returns whether a type is made from a list of strings: (typeof LIST)[number].
  const isListed = ({ type }) => /^\(typeof \w+\)\[number\]$/.test(type.getText());
  const listUnion = ({ type }) =>
    checker.typeToString(checker.getTypeFromTypeNode(type), type, ts.TypeFormatFlags.NoTruncation);

  const targetOf = (symbol) =>
    symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

  const describe = (symbol) => {
    const target = targetOf(symbol);
    const [declaration] = target.declarations;
    const parts = [`### ${symbol.name}`];
    const text = comment(target);
    if (text !== '') parts.push(text);
    if (ts.isInterfaceDeclaration(declaration)) {
      const bases = (declaration.heritageClauses ?? []).flatMap(({ types }) =>
        types.map((each) => each.getText()),
      );
      if (bases.length > 0) parts.push(`Extends ${bases.map(code).join(', ')}.`);
      parts.push(describeFields(symbol.name, declaration.members));
    } else if (ts.isFunctionDeclaration(declaration)) {
      const signature = checker.getSignatureFromDeclaration(declaration);
      parts.push(code(`${symbol.name}${checker.signatureToString(signature)}`));
    } else if (ts.isTypeAliasDeclaration(declaration)) {
      parts.push(code(isListed(declaration) ? listUnion(declaration) : plain(declaration.type.getText())));
    } else if (ts.isClassDeclaration(declaration)) {
      parts.push(
        describeFields(
          symbol.name,
          declaration.members.filter((member) => ts.isPropertyDeclaration(member) && member.type),
        ),
      );
    }
    return parts.join('\n\n');
  };

  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)));
  const isValue = (symbol) => symbol.name in library;
  const isType = (symbol) =>
    !isValue(symbol) && targetOf(symbol).flags & (ts.SymbolFlags.Interface | ts.SymbolFlags.TypeAlias);
  const section = (title, symbols) =>
    [`## ${title}`, ...symbols.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(describe)].join('\n\n');
  return (
    [
      '# Reference of telltale-engine',
      'Made from the source by `npm run lint -- --fix`. *In HTTP* is the path of the field in the JSON of `presentCheck` and of the HTTP interface.',
      section('Functions, classes and constants', exported.filter(isValue)),
      section('Types', exported.filter(isType)),
    ].join('\n\n') + '\n'
  );
}
