/** Questions to ClickHouse about one organization, with what its rules bring along, and what is kept of their answers. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Asking } from '#analytics/attribution/sharing.ts'
import { KeptAnswers } from '#analytics/store/kept.ts'
import { run, stream, texts, type Query } from '#analytics/store/query.ts'
import { countedProjections, writers } from '#analytics/index.ts'
import { withRules } from '#actors/attribution/rule.ts'
import { Fault } from '#engine/fault.ts'
import type { Editions } from '#engine/ports.ts'
import type { Services } from '#http/edge/services.ts'
import type { Connections } from '#config/connect.ts'
import { tokens, type Product } from '#config/tokens.ts'

/** Undefined where nothing is to be kept. */
export function answersOf(mebibytes: number, registry: Registry): KeptAnswers | undefined {
  if (mebibytes === 0) return undefined
  const outcomes = new Counter({
    name: 'tidemark_answers_total',
    help: 'Questions of reports: kept (answered from memory), shared (of one that was being asked), asked, passed (could not be kept)',
    labelNames: ['outcome'],
    registers: [registry],
  })
  const made = new KeptAnswers({
    bytesMax: mebibytes * 1024 * 1024,
    writers,
    told: (outcome) => outcomes.inc({ outcome }),
  })
  new Gauge({
    name: 'tidemark_answers_kept_bytes',
    help: 'Bytes of the answers that are kept',
    registers: [registry],
    collect() {
      this.set(made.bytes)
    },
  })
  return made
}

/** For so long the questions of one request are answered as of one moment, milliseconds; whoever uses the services for longer is not told what is old. */
const momentMs = 250

interface Questions extends Pick<Services, 'analytics' | 'counting' | 'stream' | 'sums' | 'texts'> {
  /** What was answered may be another now: what this request has changed it is to see. */
  changed: () => void
}

export function questionsOf(c: Connections, get: Product['get'], org: string): Questions {
  const moment = new Moment(() => c.store.editions(org, countedProjections))
  const ask = async (q: Query, params: Readonly<Record<string, unknown>>) => {
    const kept = get(tokens.answers)
    const clickhouse = whole(c, () => kept?.clear())
    const anew = () => run(clickhouse, q, params)
    // What says whether anything has changed since, and what is asked behind it, must not be of a moment before it.
    if (q.isFresh) return anew().finally(() => moment.end())
    const editions = kept && (await moment.editions())
    return editions ? kept.answer(q, params, editions, anew) : anew()
  }
  const tools = { reads: get(tokens.reads), ask: ask as Asking }
  const ruled = async (q: Query, params: object) => withRules(tools, q, { ...params, org })
  return {
    changed: () => moment.end(),
    analytics: (async (q: Query, params: object) =>
      ask(q, (await ruled(q, params)) as Record<string, unknown>)) as Services['analytics'],
    counting: async ({ name, params, tables }, count) => {
      const kept = get(tokens.answers)
      const editions = kept && (await moment.editions())
      const of = { key: [name, org, params], names: tables.map((table) => table.name) }
      return editions ? kept.keep(of, editions, count) : count()
    },
    sums: async () => {
      moment.end()
      const found = await moment.editions()
      if (!found || found.marked.size > 0) return undefined
      return countedProjections.map((name) => found.numbers.get(name) ?? '0').join(' ')
    },
    stream: async function* (q, params) {
      yield* stream(whole(c), q, (await ruled(q as never, params)) as never)
    },
    texts: async function* (q, params) {
      yield* texts(whole(c), q, (await ruled(q as never, params)) as never)
    },
  }
}

/** The editions that a request's answers are of. */
class Moment {
  private readonly read: () => Promise<Editions>
  private now: { since: number; editions: Promise<Editions | undefined> } | undefined

  constructor(read: () => Promise<Editions>) {
    this.read = read
  }

  end(): void {
    this.now = undefined
  }

  /** Undefined while PostgreSQL does not say: then everything is asked anew. */
  editions(): Promise<Editions | undefined> {
    if (this.now === undefined || performance.now() - this.now.since > momentMs)
      this.now = { since: performance.now(), editions: this.read().catch(() => undefined) }
    return this.now.editions
  }
}

/** @throws Fault `transient` `unavailable` while ClickHouse and PostgreSQL do not fit together: figures would be of nothing. */
function whole({ installation, clickhouse }: Connections, lost = () => {}): Connections['clickhouse'] {
  const isWrong = installation.misfits.some(({ store }) => store !== 'nats')
  if (!isWrong) return clickhouse
  lost()
  throw Fault.transient('unavailable', 'A store of the service has lost data; figures would be wrong.')
}
