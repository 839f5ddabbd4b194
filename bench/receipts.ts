/**
 * Random figures of every kind of report over small random organizations, each resolved to the lines of its receipt: how many of
 * them sum to the figure to the last digit, and how long one takes. Anything but all of them ends with status 1.
 * Usage: npm run -s bench -- receipts [--figures 10000] [--seed 1] [--lines 250]
 */
import { parseArgs } from 'node:util'
import { sum } from '#engine/value/decimal.ts'
import { createOrganization } from '#http/identity/organization/organization.ts'
import { createToken } from '#http/identity/token/pat.ts'
import { serve } from '#http/edge/serve.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { dice, figuresOf, fillWorld, kinds, type Figure } from '#test/harness/figures.ts'
import { figure as shown, quantile, say, stage } from './harness/stage.ts'

const { values } = parseArgs({
  options: {
    figures: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    lines: { type: 'string', default: '250' },
  },
})
const [wanted, seed, lines] = [values.figures, values.seed, values.lines].map(Number) as [number, number, number]
/** Figures of one report, and of one organization. */
const perReport = 20
const perWorld = 2000

const set = await stage({ env: { LOG_LEVEL: 'silent', RATE_LIMIT: '0' } })
const { connections, product, end } = await set.product()
const serving = await serve(product.get(tokens.edge), { port: 0, host: '127.0.0.1' })
const times: number[] = []
const tally = new Map(kinds.map((kind) => [kind as string, { figures: 0, exact: 0, lines: 0 }]))
const wrong: string[] = []

interface Answer {
  data: { items: { costUSD: string }[]; totalUSD: string; hasMore: boolean }
}

async function resolve(token: string, { kind, exact, receipt }: Figure): Promise<void> {
  const began = performance.now()
  const costs: string[] = []
  let total: string | undefined
  for (let page = 1; ; page++) {
    const url = `${serving.url}/reports/receipt?${receipt.toString()}&limit=1000&page=${page}`
    const { data } = (await (await fetch(url, { headers: { Authorization: `Bearer ${token}` } })).json()) as Answer
    costs.push(...data.items.map((item) => item.costUSD))
    total = data.totalUSD
    if (!data.hasMore) break
  }
  times.push(performance.now() - began)
  const counted = tally.get(kind)!
  counted.figures++
  counted.lines += costs.length
  if (sum(costs) === exact && total === exact) counted.exact++
  else wrong.push(`${kind} ${exact}: lines sum to ${sum(costs)}, total ${total}; ${receipt.toString()}`)
}

const began = performance.now()
for (let world = 0; times.length < wanted; world++) {
  const em = connections.orm.em.fork()
  const { id: orgId } = await createOrganization(em, `bench ${world}`)
  const { secret } = await createToken(em, orgId, { role: 'owner', name: 'bench' })
  await fillWorld(connections.clickhouse, orgId, seed + world, lines)
  const d = dice(seed + world)
  for (const until = Math.min(wanted, times.length + perWorld); times.length < until;) {
    const figures = await figuresOf(
      connections.clickhouse,
      orgId,
      d.one(kinds),
      d,
      Math.min(perReport, until - times.length),
    )
    for (let at = 0; at < figures.length; at += 4)
      await Promise.all(figures.slice(at, at + 4).map((one) => resolve(secret, one)))
  }
}
const seconds = (performance.now() - began) / 1000
await serving.close()
await end()
await set.close()

for (const [kind, { figures, exact, lines: behind }] of tally)
  say(`${kind.padEnd(9)} ${shown(exact)} of ${shown(figures)} exact, ${shown(behind)} lines`)
const exact = [...tally.values()].reduce((all, one) => all + one.exact, 0)
say(
  `all       ${shown(exact)} of ${shown(times.length)} exact in ${seconds.toFixed(0)} s; a receipt p50 ${quantile(times, 0.5).toFixed(0)} ms, p99 ${quantile(times, 0.99).toFixed(0)} ms (4 at once)`,
)
for (const text of wrong.slice(0, 10)) say(`wrong     ${text}`)
process.exitCode = exact === times.length ? 0 : 1
