/**
 * Creates everything that the process contains. There are no decorators: the wiring is this file, from top to bottom.
 */
import 'reflect-metadata'
import path from 'node:path'
import { container, instanceCachingFactory, type DependencyContainer } from 'tsyringe'
import { pino, type Logger } from 'pino'
import { diskBytes, type Exports } from '#actors/export/folder.ts'
import { actors } from '#actors/index.ts'
import type { Actor } from '#engine/actor/actor.ts'
import { Asker } from '#engine/actor/ask.ts'
import { ClickHouseFacts } from '#engine/store/clickhouse/clickhouse.ts'
import { Engine } from '#engine/run/engine.ts'
import { JoinedFacts } from '#engine/store/clickhouse/joined-facts.ts'
import { ShardedFacts } from '#engine/store/clickhouse/sharded-facts.ts'
import { Meter } from '#engine/meter.ts'
import { Publisher } from '#engine/run/publisher.ts'
import { registry } from '#engine/actor/registry.ts'
import { within } from '#http/edge/inner-request.ts'
import { AnswerQuota } from '#http/edge/answer-quota.ts'
import { edge } from '#http/edge/edge.ts'
import { routes, site } from '#http/index.ts'
import { consoleOf } from '#http/identity/session/browser.ts'
import { identityOf, type Identity } from '#http/identity/index.ts'
import { tokenScope } from '#http/edge/scope.ts'
import { drawIn, SharedLimiter } from '#http/edge/limit/shared-limit.ts'
import { measureRequests } from '#http/edge/limit/measure.ts'
import { measureLive } from '#http/live/measure.ts'
import { LiveStreams } from '#http/live/streams.ts'
import { txtRecords } from '#streams/delivery/dns.ts'
import { channelsOf } from '#streams/delivery/index.ts'
import { subjects } from '#streams/index.ts'
import { placing } from '#http/identity/organization/place.ts'
import { subjectToken } from '#http/identity/token/subject-token.ts'
import { cloudsBy } from './clouds.ts'
import type { Connections } from '#config/state/connect.ts'
import { announce, onChanged } from './identity-changed.ts'
import { admitMissed, engineTells, sourceOf as liveSourceOf, tellerOf, watchMissed } from './live.ts'
import { measureScheduledExports, measureTries } from './metrics.ts'
import { answersOf } from './questions.ts'
import { noticesOf } from './notices.ts'
import { readiness } from '#config/state/readiness.ts'
import { deriveKey, sealing, sealKeysOf, type SealKeys } from '#config/secrets/seal.ts'
import { allSealedColumns } from '#config/secrets/sealed-columns.ts'
import { letterName, letterPurpose } from '#http/dead-letter/name.ts'
import { outboxFile, reads, services } from './services.ts'
import { servedWith } from './served-routes.ts'
import { signUpBy } from '#config/settings/settings-quota.ts'
import { sourceOf } from './source-settings.ts'
import { tokens, type Product, type Site, type Token } from './tokens.ts'
import { measuredTurns } from './turns.ts'
import { crashPoint } from '#config/settings/crash-point.ts'
import { version } from '#config/process/version.ts'
import { consoleFiles } from '#config/process/console-files.ts'
import { works } from './works.ts'

/** Registers `make` to run once, on first use. */
function provide<T>(c: DependencyContainer, what: Token<T>, make: () => T): void {
  c.register(what.key, { useFactory: instanceCachingFactory(make) })
}

/** Builds the product, with all actors unless others are given. */
export function build(c: Connections, own: readonly Actor[] = actors): Product {
  const box = container.createChildContainer()
  const get = <T>(what: Token<T>): T => box.resolve(what.key)
  const { settings, clock, log, nats } = c
  const here: Site = { publicUrl: settings.publicUrl ?? '' }

  provide(box, tokens.meter, () => new Meter())
  provide(box, tokens.keys, () => sealKeysOf(settings))
  provide(box, tokens.seal, () => sealing(get(tokens.keys), allSealedColumns))
  provide(box, tokens.identity, () => identity(c, get, here))
  provide(box, tokens.clouds, () =>
    cloudsBy(c, get(tokens.meter).registry, (orgId, audience) => subjectToken(get(tokens.identity), orgId, audience)),
  )
  provide(box, tokens.dns, () => ({ txtRecords: (name: string) => txtRecords(name) }))
  provide(box, tokens.channels, () =>
    channelsOf({
      smtpUrl: settings.smtpUrl,
      mailFrom: settings.mailFrom,
      outboxFile: outboxFile(settings.dataDir),
      // The first screen names the file with the mails if there may be a demo.
      isOutboxExpected: settings.demo,
      now: () => new Date(clock.now()),
      report: c.report,
    }),
  )
  provide(box, tokens.exports, () => exportsOf(settings, get(tokens.keys)))
  provide(box, tokens.tried, () => measureTries(get(tokens.meter).registry))
  provide(box, tokens.exported, () => measureScheduledExports(get(tokens.meter).registry))
  provide(box, tokens.notices, () => noticesOf(settings, here, get(tokens.keys)))
  provide(box, tokens.source, () => sourceOf(settings))
  provide(box, tokens.reads, () => reads(c))
  provide(box, tokens.answers, () => answersOf(settings.answerCache, get(tokens.meter).registry))
  provide(box, tokens.turns, () => measuredTurns(settings.reportsAtOnce, get(tokens.meter).registry))
  provide(box, tokens.asker, () => new Asker(nats, log, clock))
  provide(box, tokens.publisher, () => new Publisher(log, clock, 'tidemark'))
  provide(box, tokens.teller, () => tellerOf(c))
  provide(box, tokens.streams, () => streamsOf(c, get))
  provide(box, tokens.engine, () => engine(c, get, own))
  provide(box, tokens.services, () => (caller, incoming) => services(c, get, here, caller, incoming))
  provide(box, tokens.edge, () => edgeOf(c, get))
  return { get, site: here }
}

function edgeOf(c: Connections, get: Product['get']): ReturnType<typeof edge> {
  const { settings, clock } = c
  const { authenticator, refusedAccess, publicUrl } = get(tokens.identity)
  const { seal, open } = get(tokens.seal)
  const now = () => new Date(clock.now())
  const em = () => c.orm.em.fork()
  const point = crashPoint(settings)
  const all = site(servedWith(settings, routes), {
    version,
    ready: readiness(c),
    hooks: settings.testHooks,
    within: within(() => app),
    console: consoleFiles,
  })
  const app = edge(all, tokenScope(authenticator, get(tokens.services)), {
    log: httpLog(settings.logLevel),
    storageRefusal: () => c.disks.refusal(),
    measure: measureRequests(get(tokens.meter).registry),
    limits: {
      limiter: new SharedLimiter(drawIn(em), () => clock.now()),
      rates: ratesOf(settings),
    },
    idempotency: { em, now, seal, open, room: answerRoom(c), carriedOut: () => point('carried-out') },
    corsOrigins: settings.corsOrigins,
    trustedProxies: settings.trustedProxies,
    refused: refusedAccess,
    publicUrl,
  })
  return app
}

function exportsOf(settings: Connections['settings'], keys: SealKeys): Exports {
  const folder = settings.exportsDir ?? path.join(settings.dataDir, 'exports')
  return {
    folder,
    secrets: () => keys().map((key) => deriveKey(key, 'export')),
    rowsMax: 1_000_000,
    limits: {
      atOnce: settings.exportsAtOnce,
      perHour: settings.exportsPerHour,
      bytes: settings.exportBytes,
      diskBytes: diskBytes(folder, settings.exportDisk),
    },
  }
}

const answerRoom = ({ orm, settings, clock }: Connections): AnswerQuota =>
  new AnswerQuota(
    () => orm.em.fork(),
    { answers: settings.idempotentAnswers, bytes: settings.idempotentBytes },
    () => clock.now(),
  )

function streamsOf(c: Connections, get: Product['get']): LiveStreams {
  const made = new LiveStreams({
    source: liveSourceOf(c.nats),
    meter: measureLive(get(tokens.meter).registry),
    now: () => c.clock.now(),
  })
  watchMissed(c.nats, () => made.resync())
  const { forget } = get(tokens.identity)
  onChanged(c.nats, (changed) => {
    // Called again here: the order of the two subscriptions is undefined, and streams must not use cached data that is
    // to be dropped.
    forget(changed)
    setImmediate(() => made.look(changed))
  })
  return made
}

function engine(c: Connections, get: Product['get'], own: readonly Actor[]): Engine {
  const { settings, clock, log, store, shards, awayShards, report } = c
  const nameOfLetter = (id: string): string => letterName(id, deriveKey(get(tokens.keys)()[0]!, letterPurpose))
  const made = new Engine({
    lanes: settings.lanes,
    registry: registry(own, subjects, c.orm.getMetadata()),
    log,
    store,
    facts: new ShardedFacts(shards, awayShards, ({ client }) => new JoinedFacts(new ClickHouseFacts(client), clock)),
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
      echoesMax: settings.echoes,
      idleMs: 600_000,
      keepMessages: settings.laneKeep,
      quota: { messages: settings.ingestMessages, bytes: settings.ingestBytes },
    },
    ...works(c, get),
    ...engineTells(c.nats, get(tokens.teller), nameOfLetter),
    leaseMs: settings.leaseMs,
    mayRun: () => c.installation.misfits.length === 0 && !c.installation.isOutdated,
    isOutdated: async () => {
      await c.installation.look()
      return c.installation.isOutdated
    },
    point: crashPoint(settings),
    letterName: nameOfLetter,
    parking: shards.isSingle ? undefined : { store, isAway: (orgId) => awayShards.isWaiting(orgId) },
    awayShards: () => awayShards.names,
  })
  c.onLeaseLost.call = () => made.leaseLost()
  admitMissed(c.nats)
  return made
}

const httpLog = (level: string): Logger => pino({ level, base: { part: 'http' } }, pino.destination(2))

const ratesOf = (settings: Connections['settings']) => ({
  caller: { name: 'default', perMinute: settings.rateLimit, burst: settings.rateLimitBurst },
  person: {
    name: 'person',
    perMinute: settings.personRateLimit ?? settings.rateLimit,
    burst: settings.rateLimitBurst,
  },
  auth: { name: 'auth', perMinute: settings.authRateLimit, burst: settings.authRateLimit },
  inbound: { name: 'inbound', perMinute: settings.inboundRateLimit, burst: settings.inboundRateLimit },
  refused: { name: 'refused', perMinute: settings.rateLimit, burst: Math.max(settings.rateLimit, 1) },
})

function identity(c: Connections, get: Product['get'], here: Site): Identity {
  const { settings, clock, nats, orm } = c
  const secretsFor = (purpose: string) => get(tokens.keys)().map((key) => deriveKey(key, purpose))
  const made = identityOf({
    em: () => orm.em.fork(),
    now: () => new Date(clock.now()),
    ...get(tokens.seal),
    secretFor: (purpose) => deriveKey(get(tokens.keys)()[0]!, purpose),
    secretsFor,
    publicUrl: () => here.publicUrl,
    appUrl: () => settings.appUrl ?? consoleOf(here.publicUrl),
    internalSecrets: () =>
      settings.internalTokenSecret !== undefined
        ? [settings.internalTokenSecret]
        : secretsFor('internal-token').map((secret) => secret.toString('base64')),
    social: settings,
    signUp: signUpBy(settings),
    organizations: { owned: settings.organizationsOwned, perDay: settings.organizationsPerDay },
    place: placing(c),
    allowPrivate: settings.allowPrivateAddresses,
    outsideMails: {
      perOrganization: settings.outsideMailsOfOrganization,
      perRecipient: settings.outsideMailsOfRecipient,
      perInstallation: settings.outsideMails,
    },
    txtRecords: (name) => get(tokens.dns).txtRecords(name),
    announce: (changed) => announce(nats, changed),
  })
  onChanged(nats, (changed) => made.forget(changed))
  return made
}
