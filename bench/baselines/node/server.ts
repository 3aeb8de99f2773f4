// The Node baseline as a service: POST /v1/check with a multipart form. Listens on a free port and prints it.
import type { AddressInfo } from 'node:net';
import multer from '@koa/multer';
import Koa from 'koa';
import { createBaseline } from './check.js';

const check = await createBaseline();
const app = new Koa();

app.use(async (ctx, next) => {
  if (ctx.path === '/healthz') ctx.body = { status: 'ok' };
  else await next();
});
app.use(multer().single('file'));
app.use(async (ctx) => {
  const { buffer } = ctx.file as { readonly buffer: Buffer };
  try {
    ctx.body = await check(buffer);
  } catch (error) {
    ctx.status = 422;
    ctx.body = { error: { code: 'image_corrupt', message: String(error) } };
  }
});

const server = app.listen(0, '127.0.0.1', () => {
  console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
