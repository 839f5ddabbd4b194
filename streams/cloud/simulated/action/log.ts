/** What has been made of resources: what was switched, what was altered, and what they are scaled by. */
import type { NativePolicy } from '#streams/cloud/connector.ts'

/** Somebody started, stopped or scaled a resource. From then on this says what it does, no longer its own hours. */
export interface PowerChange {
  /** When it was asked for, and when it is so: milliseconds since 1970. */
  asked: number
  at: number
  running: boolean
  /** What it has when it is on. */
  units?: number
  /** Bounds of what is counted. */
  min?: number
  max?: number
  /** Paused in a way that no start takes back. */
  final?: true
}

/** Somebody made something else of a resource. What is left out stays as it was. */
export interface Alteration {
  /** When it was asked for, and when it is so: milliseconds since 1970. */
  asked: number
  at: number
  size?: string
  /** Gigabytes it stores. */
  gb?: number
  specs?: Readonly<Record<string, unknown>>
  /** It was deleted. */
  gone?: true
}

export interface NotedAlteration extends Alteration {
  /** How many switches of the resource were asked for before it: their times do not tell where a clock stands still. */
  after: number
}

/** One thing that provisioning had made. */
export interface MadeObject {
  name: string
  uid: string
  /** Left out for what no inventory has. */
  type?: string
  size?: string
  units?: number
  /** Gigabytes it stores. */
  gb?: number
  parentUid?: string
  specs?: Readonly<Record<string, unknown>>
}

/** What one call of provisioning made, under its token. */
export interface Making {
  token: string
  jobId: string
  /** The step of the job; `database` and `user` for what is on a server that one has made. */
  step: string
  region: string
  /** When it was asked for, and when it is there: milliseconds since 1970. */
  asked: number
  at: number
  objects: readonly MadeObject[]
  tags: Readonly<Record<string, string>>
  /** What it was answered with, and will be. */
  output: Readonly<Record<string, unknown>>
  /** What it was made by, of the step that makes the thing itself. */
  config?: Readonly<Record<string, unknown>>
}

/** When somebody asked for it to be taken away, and when it is: milliseconds since 1970. */
export interface Unmaking {
  token: string
  asked: number
  at: number
}

export interface KnownMaking extends Making {
  /** Milliseconds since 1970; undefined while nobody has taken it away. */
  goneAt?: number
}

/** Producers name accounts as they like: two organizations may have one of the same id. */
export interface Owner {
  orgId: string
  /** Of the account. */
  id: string
}

/** For each account that connects the simulated cloud: two organizations never see what the other has made. */
export interface ActionLog {
  /** In the order in which they were asked for. */
  changes(accountId: string, uid: string): readonly PowerChange[]
  /** Without the specs that later ones say anew. */
  alterations(accountId: string, uid: string): readonly NotedAlteration[]
  /** Those that stand where its own did; undefined while nobody has replaced those. */
  policies(accountId: string, uid: string): readonly NativePolicy[] | undefined
  /** Of all that was ever made, in that order. */
  makings(owner: Owner): ReadonlyMap<string, KnownMaking>
  /** Of all organizations that have an account of that id. */
  makingsAt(accountId: string): KnownMaking[]
  add(accountId: string, uid: string, change: PowerChange): void
  alter(accountId: string, uid: string, alteration: Alteration): void
  replace(accountId: string, uid: string, policies: readonly NativePolicy[]): void
  make(owner: Owner, making: Making): void
  /** Whether a token that has made nothing was taken away: nothing is made under it any more. */
  isRetired(owner: Owner, token: string): boolean
  /** What a thing holds goes with it. A token that has made nothing is retired. */
  unmake(owner: Owner, unmaking: Unmaking): void
}

const ownerKey = ({ orgId, id }: Owner): string => `${orgId}\n${id}`

export function actionLog(): ActionLog {
  const switched = new Map<string, PowerChange[]>()
  const altered = new Map<string, NotedAlteration[]>()
  const replaced = new Map<string, readonly NativePolicy[]>()
  const made = new Map<string, Map<string, KnownMaking>>()
  const retired = new Set<string>()
  const key = (accountId: string, uid: string) => `${accountId}\n${uid}`
  return {
    changes: (accountId, uid) => switched.get(key(accountId, uid)) ?? [],
    alterations: (accountId, uid) => altered.get(key(accountId, uid)) ?? [],
    policies: (accountId, uid) => replaced.get(key(accountId, uid)),
    makings: (owner) => made.get(ownerKey(owner)) ?? new Map(),
    makingsAt: (accountId) =>
      [...made].flatMap(([owner, ofAccount]) => (owner.endsWith(`\n${accountId}`) ? [...ofAccount.values()] : [])),
    isRetired: (owner, token) => retired.has(key(ownerKey(owner), token)),
    add(accountId, uid, change) {
      const before = switched.get(key(accountId, uid))
      if (before) before.push(change)
      else switched.set(key(accountId, uid), [change])
    },
    alter(accountId, uid, alteration) {
      const noted = { ...alteration, after: this.changes(accountId, uid).length }
      const before = this.alterations(accountId, uid).map((earlier) => withoutSaidAnew(earlier, alteration))
      const kept = [...before, noted].filter(saysSomething)
      if (kept.length > 0) altered.set(key(accountId, uid), kept)
    },
    replace(accountId, uid, policies) {
      replaced.set(key(accountId, uid), policies)
    },
    make(owner, making) {
      const ofAccount = made.get(ownerKey(owner)) ?? new Map<string, KnownMaking>()
      made.set(ownerKey(owner), ofAccount.set(making.token, making))
    },
    unmake(owner, { token, asked, at }) {
      const ofAccount = made.get(ownerKey(owner))
      const making = ofAccount?.get(token)
      if (!ofAccount || !making) return void retired.add(key(ownerKey(owner), token))
      if (making.goneAt !== undefined) return
      ofAccount.set(token, { ...making, goneAt: at })
      const uids = new Set(making.objects.map(({ uid }) => uid))
      const held = Array.from(ofAccount.values(), ({ objects }) => objects).flat()
      for (const { uid, parentUid = '' } of held)
        if (uids.has(uid) || uids.has(parentUid)) this.alter(owner.id, uid, { asked, at, gone: true })
    },
  }
}

/** Of specs only the present is ever asked for, so a resource takes no more memory the more often they are set. */
function withoutSaidAnew(earlier: NotedAlteration, { specs: anew = {}, asked, at }: Alteration): NotedAlteration {
  const { specs, ...rest } = earlier
  if (!specs || at > asked) return earlier
  const left = Object.entries(specs).filter(([name]) => !Object.hasOwn(anew, name))
  return left.length > 0 ? { ...rest, specs: Object.fromEntries(left) } : rest
}

const saysSomething = ({ size, gb, specs, gone }: Alteration): boolean =>
  [size, gb, gone].some((said) => said !== undefined) || Object.keys(specs ?? {}).length > 0
