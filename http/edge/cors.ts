/** Cross-origin requests: lets pages of configured origins call the API. */
import cors from '@koa/cors'
import type Koa from 'koa'

/** Our response headers that a page may read. */
const exposedHeaders = [
  'X-Request-Id',
  'X-Total-Count',
  'Link',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Idempotency-Replayed',
  'Deprecation',
  'Sunset',
  'Api-Version',
  'Preference-Applied',
  'WWW-Authenticate',
]

/** Lets pages of the named origins call the API. No cookies: callers send tokens. */
export const crossOrigin = (origins: readonly string[]): Koa.Middleware =>
  cors({
    origin: (ctx) => {
      const origin = ctx.get('Origin')
      if (origins.includes('*')) return '*'
      return origins.includes(origin) ? origin : ''
    },
    allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowHeaders: ['Authorization', 'Content-Type', 'X-Org-Id', 'X-Request-Id', 'Idempotency-Key', 'Prefer'],
    exposeHeaders: exposedHeaders,
    maxAge: 600,
  })
