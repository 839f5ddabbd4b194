import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'

const Check = t.Object(
  {
    name: t.String({
      description: 'postgres, nats, clickhouse, installation, version, streams, effects, disk or lanes',
    }),
    ok: t.Boolean(),
    message: t.Optional(t.String({ description: 'what is wrong; if ok is true, a warning' })),
    version: t.Optional(t.String()),
    syncsAlways: t.Optional(
      t.Boolean({ description: 'nats: whether every message is on disk before it is acknowledged' }),
    ),
  },
  { title: 'ReadinessCheck' },
)
export type Check = Static<typeof Check>

/** Checks whether everything that the service depends on works now. */
export type Ready = () => Promise<readonly Check[]>

/** No token is needed here, so versions of stores are left out; operators see them with `tidemark doctor`. */
const withoutVersion = ({ version: _version, ...check }: Check): Check => check

/** Milliseconds after which an unanswered check has failed. */
const readyMs = 5_000
const tags = ['Operations']

/** Liveness and readiness of the process. */
export const health = (ready: Ready): readonly Route[] => [
  route({
    method: 'GET',
    path: '/healthz',
    summary: 'Check whether the process is alive',
    description: 'Does not check the stores: use GET /readyz.',
    permission: 'public',
    tags,
    bare: true,
    reply: t.Object({ status: t.Literal('ok') }),
    example: { status: 'ok' },
    handle: async () => ({ status: 'ok' as const }),
  }),
  route({
    method: 'GET',
    path: '/readyz',
    summary: 'Check whether the stores, the streams and the lanes work; returns 503 with the failed checks',
    description: 'Each check with its result. Checks that time out count as failed.',
    permission: 'public',
    tags,
    bare: true,
    reply: t.Object({ status: t.Literal('ready'), checks: t.Array(Check) }),
    example: { status: 'ready', checks: [{ name: 'postgres', ok: true }] },
    handle: async () => {
      const checks = (await inTime(ready)).map(withoutVersion)
      const failing = checks.filter(({ ok }) => !ok)
      if (failing.length === 0) return { status: 'ready' as const, checks }
      const named = failing.map(({ name, message }) => (message ? `${name} (${message})` : name)).join(', ')
      throw new Fault('transient', 'unavailable', `Not ready: ${named}.`, { members: { checks } })
    },
  }),
]

async function inTime(ready: Ready): Promise<readonly Check[]> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<readonly Check[]>((resolve) => {
    timer = setTimeout(
      () => resolve([{ name: 'checks', ok: false, message: `no response within ${readyMs} ms` }]),
      readyMs,
    )
  })
  try {
    return await Promise.race([ready(), late])
  } finally {
    clearTimeout(timer)
  }
}
