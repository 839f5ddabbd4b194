/** The preference of a strict request (RFC 7240): numbers above their maximum are refused instead of reduced to it. */
import type Koa from 'koa'

const strictHandling = /(?:^|[,;\s])handling\s*=\s*"?strict\b/i

/** Sets `isStrict` in the state. */
export const readPreference: Koa.Middleware = (ctx, next) => {
  ctx.state['isStrict'] = strictHandling.test(ctx.get('Prefer'))
  if (ctx.state['isStrict'] === true) ctx.set('Preference-Applied', 'handling=strict')
  return next()
}
