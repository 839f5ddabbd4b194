/** What the process holds. No decorators: the wiring is this file, read top to bottom. */
import 'reflect-metadata'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { container, instanceCachingFactory, type DependencyContainer, type InjectionToken } from 'tsyringe'
import type Koa from 'koa'
import { pino, type Logger } from 'pino'
import { actors } from '#actors/index.ts'
import { discoverWork } from '#actors/refresh/discover.ts'
import { costDayOf, costDays, recomputeCostDays } from '#analytics/cost-rollup.ts'
import { costTypes, retypeCostDays } from '#analytics/cost-type.ts'
import { run } from '#analytics/query.ts'
import { Asker } from '#engine/ask.ts'
import { ClickHouseFacts } from '#engine/clickhouse.ts'
import { Engine } from '#engine/engine.ts'
import { JoinedFacts } from '#engine/joined-facts.ts'
import type { CrashPoint } from '#engine/lane.ts'
import { Meter } from '#engine/meter.ts'
import type { Reads } from '#engine/ports.ts'
import { Publisher } from '#engine/publisher.ts'
import { registry } from '#engine/registry.ts'
import { edge } from '#http/edge.ts'
import { routes, site } from '#http/index.ts'
import { authenticator, tokenStore } from '#http/identity/pat.ts'
import { tokenScope } from '#http/identity/scope.ts'
import type { Services } from '#http/route.ts'
import type { FaultPlan } from '#streams/cloud/simulated/faults.ts'
import { simulatedCloud, type SimulatedCloud } from '#streams/cloud/simulated/connector.ts'
import { subjects } from '#streams/index.ts'
import type { Connections } from '#config/connect.ts'
import { readiness } from '#config/readiness.ts'
import { keptKey, sealing, type Seal } from '#config/seal.ts'
import { version } from '#config/version.ts'

/** A typed name for one thing the process holds. */
export interface Token<T> {
  key: InjectionToken<T>
}
const token = <T>(name: string): Token<T> => ({ key: Symbol(name) as InjectionToken<T> })

/** Registers `make` to run once, on first use. */
function provide<T>(c: DependencyContainer, what: Token<T>, make: () => T): void {
  c.register(what.key, { useFactory: instanceCachingFactory(make) })
}

export const tokens = {
  reads: token<Reads>('Reads'),
  seal: token<Seal>('Seal'),
  cloud: token<SimulatedCloud>('SimulatedCloud'),
  meter: token<Meter>('Meter'),
  asker: token<Asker>('Asker'),
  publisher: token<Publisher>('Publisher'),
  engine: token<Engine>('Engine'),
  services: token<() => Services>('Services'),
  edge: token<Koa>('Edge'),
}

/** Where callers reach the edge; known once it listens. */
export interface Site {
  publicUrl: string
}

export interface Product {
  get<T>(what: Token<T>): T
  site: Site
}

export function build(c: Connections): Product {
  const box = container.createChildContainer()
  const get = <T>(what: Token<T>): T => box.resolve(what.key)
  const { settings, clock, log, nats } = c
  const here: Site = { publicUrl: settings.publicUrl ?? '' }

  provide(box, tokens.meter, () => new Meter())
  provide(box, tokens.seal, () => sealing(settings.credentialsKey ?? keptKey(settings.dataDir)))
  provide(box, tokens.cloud, () =>
    simulatedCloud({
      seed: settings.simulationSeed,
      now: () => new Date(clock.now()),
      sleep: (ms, signal) => clock.sleep(ms, signal),
      today: keptDay(settings.dataDir, new Date(clock.now())),
    }),
  )
  provide(box, tokens.reads, () => reads(c))
  provide(box, tokens.asker, () => new Asker(nats, log, clock))
  provide(box, tokens.publisher, () => new Publisher(log, clock, 'tidemark'))
  provide(box, tokens.engine, () => engine(c, get))
  provide(box, tokens.services, () => () => services(c, get, here))
  provide(box, tokens.edge, () => {
    const authenticate = authenticator(
      tokenStore(() => c.orm.em.fork()),
      () => new Date(clock.now()),
    )
    const ready = readiness(c)
    const all = site(routes, { version, ready, hooks: settings.testHooks })
    return edge(all, tokenScope(authenticate, get(tokens.services)), { log: httpLog(settings.logLevel) })
  })
  return { get, site: here }
}

function engine(c: Connections, get: Product['get']): Engine {
  const { settings, clock, log, store, clickhouse, report } = c
  const made = new Engine({
    lanes: settings.lanes,
    registry: registry(actors, subjects, c.orm.getMetadata()),
    log,
    store,
    facts: new JoinedFacts(new ClickHouseFacts(clickhouse), clock),
    reads: get(tokens.reads),
    clock,
    shift: () => clock.shift(),
    meter: get(tokens.meter),
    report,
    limits: {
      countMax: settings.batchMessages,
      bytesMax: 8e6,
      waitMs: 100,
      activationsMax: settings.activations,
      idleMs: 600_000,
      keepMessages: settings.laneKeep,
    },
    projections: [
      {
        name: costDays.name,
        run: (marks, generation) => recomputeCostDays(clickhouse, marks.map(costDayOf), generation),
      },
      {
        name: costTypes.name,
        run: async (marks, generation) => {
          for (const [orgId, own] of Map.groupBy(marks, (mark) => mark.orgId))
            await retypeCostDays(
              clickhouse,
              orgId,
              own.map((mark) => mark.key),
              generation,
            )
        },
      },
    ],
    effects: [
      discoverWork({
        reads: get(tokens.reads),
        publisher: get(tokens.publisher),
        connector: () => get(tokens.cloud),
        open: (sealed) => get(tokens.seal).open(sealed),
      }),
    ],
    leaseMs: settings.leaseMs,
    point: crashPoint(settings.testHooks ? settings.crashAt : undefined),
  })
  c.onLeaseLost.call = () => made.leaseLost()
  return made
}

const httpLog = (level: string): Logger => pino({ level, base: { part: 'http' } }, pino.destination(2))

function reads({ store, clickhouse }: Connections): Reads {
  return {
    rows: async <T extends object>(sql: string, params: readonly unknown[]) =>
      (await store.pool.query(sql, [...params])).rows as T[],
    facts: async <T extends object>(sql: string, params: Readonly<Record<string, unknown>>) => {
      const result = await clickhouse.query({ query: sql, query_params: params, format: 'JSONEachRow' })
      return result.json<T>()
    },
  }
}

function services(c: Connections, get: Product['get'], here: Site): Services {
  const { settings, clock, clickhouse, orm } = c
  const { seal, open } = get(tokens.seal)
  return {
    em: orm.em.fork(),
    analytics: (q, params) => run(clickhouse, q, params),
    ask: (subject, orgId, data) => get(tokens.asker).ask(subject, orgId, data),
    publish: async (subject, orgId, data, options = {}) =>
      void (await get(tokens.publisher).publish({ subject, orgId, data, ...options })),
    connector: () => get(tokens.cloud),
    seal,
    open,
    now: () => new Date(clock.now()),
    settings: { reportCost: settings.reportCost, egressCidrs: settings.egressCidrs, publicUrl: here.publicUrl },
    ...(settings.testHooks && {
      hooks: {
        setClock: (at: Date) => clock.set(at),
        faults: async (plan: FaultPlan) => get(tokens.cloud).faults.set(plan),
        tick: () => noneDue(c),
      },
    }),
  }
}

/** The lanes run what is due by themselves: resolves once nothing is left that was due when asked. */
async function noneDue({ store, clock }: Connections): Promise<void> {
  const now = new Date(clock.now())
  while ((await store.pool.query('select from reminder where due <= $1 limit 1', [now])).rowCount !== 0)
    await clock.sleep(50)
}

/** The day the stories of the simulated cloud count back from: that of the data folder's first start, or its past would move. */
function keptDay(dataDir: string, now: Date): string {
  const file = path.join(dataDir, 'simulated-cloud.json')
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as { today: string }).today
  } catch {
    const today = now.toISOString().slice(0, 10)
    mkdirSync(dataDir, { recursive: true })
    writeFileSync(file, JSON.stringify({ today }))
    return today
  }
}

/** `<point>:<n>` ends the process, hard, when that point is passed for the n-th time. */
function crashPoint(at: string | undefined): (name: CrashPoint) => void {
  const [point, nth = '1'] = at?.split(':') ?? []
  let passes = 0
  return (name) => {
    if (name === point && ++passes >= Number(nth)) process.kill(process.pid, 'SIGKILL')
  }
}
