/** Defects put in on purpose, each by wrapping a process's ports or bending a server: the simulation must find every one. */
import {
  DataRefused,
  type Commit,
  type FactRow,
  type FactStore,
  type Lease,
  type Log,
  type StateStore,
} from '#engine/actor/ports.ts'
import type { Ports } from '#test/sim/process.ts'
import type { Bug } from '#test/sim/world.ts'

/** `store` with some of its calls replaced. */
const changed = (store: StateStore, changes: Partial<StateStore>): StateStore =>
  new Proxy(store, {
    get: (target, name) => {
      const value = changes[name as keyof StateStore] ?? target[name as keyof StateStore]
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value
    },
  })

const inStore = (change: (store: StateStore) => Partial<StateStore>): Bug => ({
  ports: (ports) => ({ ...ports, store: changed(ports.store, change(ports.store)) }),
})

/** Every commit goes through `alter` first. */
const inCommit = (alter: (commit: Commit) => Commit): Bug =>
  inStore((store) => ({ commit: (commit) => store.commit(alter(commit)) }))

export const bugs: Readonly<Record<string, Bug>> = {
  'a commit that ignores the epoch': {
    ports: (ports, _, { db }) => {
      const present = (lease: Lease): Lease => ({ ...lease, epoch: db.lane(lease.lane).epoch })
      const commit = (c: Commit) => ports.store.commit({ ...c, lease: present(c.lease) })
      return { ...ports, store: changed(ports.store, { commit }) }
    },
  },
  'a commit that ignores the epoch and the cursor': {
    ports: (ports, _, { db }) => {
      const present = (lease: Lease): Lease => ({ ...lease, epoch: db.lane(lease.lane).epoch })
      const commit = (c: Commit) =>
        ports.store.commit({ ...c, from: db.lane(c.lease.lane).cursor, lease: present(c.lease) })
      return { ...ports, store: changed(ports.store, { commit }) }
    },
  },
  'an acquisition that does not raise the epoch': {
    server: ({ db }) => {
      const acquire = db.acquire.bind(db)
      db.acquire = (session, owner, leaseMs, lane) => {
        const lease = acquire(session, owner, leaseMs, lane)
        return lease && { ...lease, epoch: (db.lane(lane).epoch = 1) }
      }
    },
  },
  'facts written after the state': { ports: factsAfterState },
  'facts without the order of versions': {
    server: ({ facts }) => {
      facts.newer = () => true
    },
  },
  'versions without the epoch': { ports: (ports) => ({ ...ports, facts: withoutEpoch(ports.facts) }) },
  'outbox rows deleted before they are published': {
    ports: (ports) => {
      const commit = async (c: Commit) => {
        const done = await ports.store.commit(c)
        if (done) await ports.store.sent(c.outbox.map(({ id }) => id)).catch(() => {})
        return done
      }
      return { ...ports, store: changed(ports.store, { commit }) }
    },
  },
  'an inbox that is not remembered': inCommit((c) => ({ ...c, inbox: [] })),
  'an inbox that is not asked': inStore(() => ({ seen: async () => new Map() })),
  'a reader that skips a message': { ports: skippingReader },
  'a reader that gives a message twice': { ports: repeatingReader },
  'a commit that is answered before it is durable': {
    ports: (ports) => {
      const commit = async (c: Commit) => {
        ports.store.commit(c).catch(() => {})
        return true
      }
      return { ...ports, store: changed(ports.store, { commit }) }
    },
  },
  'a commit in doubt that is taken for done': inStore((store) => ({
    commit: (c) =>
      store.commit(c).catch((error: unknown) => {
        if (error instanceof DataRefused) throw error
        return true
      }),
  })),
  'a commit that leaves out its outbox': inCommit((c) => ({ ...c, outbox: c.outbox.slice(1) })),
  'a commit that keeps reminders that rang': inCommit((c) => ({ ...c, forgotten: [] })),
  'marks forgotten whatever was marked since': {
    ports: (ports, _, { db }) => {
      const unmark: StateStore['unmark'] = async (marks, generation) => {
        for (const mark of marks) await ports.store.unmark([mark], db.marks.get(markId(mark))?.stamp ?? generation)
      }
      return { ...ports, store: changed(ports.store, { unmark }) }
    },
  },
  'generations that do not grow': inStore((store) => ({
    begin: async (marks) => {
      await store.begin(marks)
      return '1'
    },
  })),
  'loads that find no row': inStore((store) => ({
    load: async (shape, keys) => (await store.load(shape, keys)).slice(1),
  })),
  'careful turns that are not marked': inStore((store) => ({
    markTurn: async (...turn) => ((await store.markTurn(...turn)) === undefined ? undefined : 0),
  })),
  'answers that say ok whatever happened': {
    ports: (ports) => ({ ...ports, log: answering(ports.log, (body) => body.replace('"ok":false', '"ok":true')) }),
  },
  'effects that are forgotten when they are claimed': inStore((store) => ({
    claimEffects: async (claim) => {
      const rows = await store.claimEffects(claim)
      await store.doneEffects(rows.map(({ key }) => key))
      return rows
    },
  })),
}

const markId = ({ projection, orgId, key }: { projection: string; orgId: string; key: string }) =>
  `${projection}\0${orgId}\0${key}`

function factsAfterState(ports: Ports): Ports {
  let held: [string, readonly FactRow[]][] = []
  const facts: FactStore = { insert: async (table, rows) => void held.push([table, rows]) }
  const commit = async (c: Commit) => {
    const late = held
    held = []
    const done = await ports.store.commit(c)
    if (done) for (const [table, rows] of late) ports.facts.insert(table, rows).catch(() => {})
    return done
  }
  return { ...ports, facts, store: changed(ports.store, { commit }) }
}

function withoutEpoch(facts: FactStore): FactStore {
  const epoch = 0xff_ffffn << 56n
  const strip = (row: FactRow): FactRow => ({ ...row, x_Version: (row['x_Version'] as bigint) & ~epoch })
  return { insert: (table, rows) => facts.insert(table, rows.map(strip)) }
}

const withLog = (log: Log, changes: Partial<Log>): Log => ({
  read: (lane, from) => log.read(lane, from),
  publish: (message) => log.publish(message),
  laneOf: (org, place) => log.laneOf(org, place),
  answer: (inbox, body) => log.answer(inbox, body),
  last: (lane) => log.last(lane),
  trim: (lane, cursor, keep) => log.trim(lane, cursor, keep),
  ...changes,
})

const answering = (log: Log, alter: (body: string) => string): Log =>
  withLog(log, { answer: (inbox, body) => log.answer(inbox, alter(body)) })

function skippingReader(ports: Ports, { random }: { random: { chance(p: number): boolean } }): Ports {
  const read: Log['read'] = async (lane, from) => {
    const reader = await ports.log.read(lane, from)
    return {
      next: async (...sizes) => {
        const messages = await reader.next(...sizes)
        return messages.length > 1 && random.chance(0.02) ? messages.slice(1) : messages
      },
      close: () => reader.close(),
    }
  }
  return { ...ports, log: withLog(ports.log, { read }) }
}

function repeatingReader(ports: Ports, { random }: { random: { chance(p: number): boolean } }): Ports {
  const read: Log['read'] = async (lane, from) => {
    const reader = await ports.log.read(lane, from)
    return {
      next: async (...sizes) => {
        const messages = await reader.next(...sizes)
        return messages.length > 0 && random.chance(0.02) ? [...messages, messages.at(-1)!] : messages
      },
      close: () => reader.close(),
    }
  }
  return { ...ports, log: withLog(ports.log, { read }) }
}
