// Path of Redoc's script in the built console.
declare module 'redoc/bundles/redoc.standalone.js?url' {
  const address: string;
  export default address;
}
