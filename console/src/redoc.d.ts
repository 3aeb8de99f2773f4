// The address under which the built console has Redoc's bundle.
declare module 'redoc/bundles/redoc.standalone.js?url' {
  const address: string;
  export default address;
}
