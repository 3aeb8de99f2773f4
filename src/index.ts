// What programs import from 'telltale': everything that 'telltale-engine' exports.
export * from 'telltale-engine';
