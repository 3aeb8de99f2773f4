// Words that docs/glossary.md rules out, as lint rules for the text of documents and for sentences in the code.

/** A pattern of the word, and what to write. Whole words, in any case; code in documents is not looked at. */
const TERMS = [
  ['accus(?:e|es|ed|ing)', 'flag, false positive'],
  ['false alarms?', 'false positive'],
  ['pictures?', 'image'],
  ['twins?', 'near-duplicate, paired fake or duplicate request'],
  ['the hunt', 'data collection'],
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
];

const message = (instead) => `Write: ${instead} (docs/glossary.md).`;

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
