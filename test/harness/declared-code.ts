/** Holds what edges answer to what their routes declare: a code that an operation does not list fails the test that met it. */
import type Koa from 'koa'
import type { Context } from 'mocha'
import type { RefusalStatus } from '#http/edge/problem.ts'
import { refusalsOf } from '#http/edge/document/refusal.ts'
import type { Route } from '#http/edge/route.ts'

const undeclared = new Set<string>()

/** Looks at every answer of `app`, which serves `routes`. Must be called before the app listens. */
export function watchCodes(app: Koa, routes: readonly Route[]): void {
  const declared = new Map(routes.map((r) => [`${r.method} ${r.path}`, refusalsOf(r)]))
  app.middleware.unshift(async (ctx, next) => {
    await next()
    const { route } = ctx.state as { route?: string }
    if (route === undefined || ctx.type !== 'application/problem+json' || typeof ctx.body !== 'string') return
    const name = `${ctx.method} ${route}`
    const { code } = JSON.parse(ctx.body) as { code: string }
    if (declared.get(name)?.[ctx.status as RefusalStatus]?.includes(code)) return
    undeclared.add(`${name} answers ${ctx.status} ${code}`)
  })
}

/** @throws Error naming what was answered since the last call without being declared */
function checkCodes(): void {
  const found = [...undeclared]
  undeclared.clear()
  if (found.length > 0) throw new Error(`not in the refusals of its route: ${found.join('; ')}`)
}

/** A test ends with a look at the codes that its requests were answered with. */
export const codeHooks = {
  beforeEach(this: Context): void {
    const { currentTest: test } = this
    const run = test?.fn as ((this: Context) => unknown) | undefined
    if (!test || !run || run.length > 0) return
    test.fn = async function (this: Context) {
      await run.call(this)
      checkCodes()
    }
  },
}
