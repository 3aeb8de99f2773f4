// Exports of the package 'telltale': everything that 'telltale-engine' exports.
export * from 'telltale-engine';
