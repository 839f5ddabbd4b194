/** Says in a response of 401 where to get a token (RFC 9728), for routes that have a document about it. */
import type Koa from 'koa'

export const nameMetadata =
  (publicUrl: (() => string) | undefined): Koa.Middleware =>
  async (ctx, next) => {
    await next()
    const { resourceMetadata: path } = ctx.state as { resourceMetadata?: string }
    if (ctx.status === 401 && path !== undefined && publicUrl)
      ctx.set('WWW-Authenticate', `Bearer resource_metadata="${publicUrl()}${path}"`)
  }
