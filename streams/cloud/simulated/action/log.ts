/** Changes of resources: power, alterations and scaling policies. */
import type { NativePolicy } from '#streams/cloud/connector.ts'

/** A start, stop or scale of a resource. From then on it decides the state, in place of the resource's own hours. */
export interface PowerChange {
  /** When it was requested, and when it is complete: milliseconds since 1970. */
  asked: number
  at: number
  running: boolean
  /** Units it has while running. */
  units?: number
  /** Bounds of the count. */
  min?: number
  max?: number
  /** A pause that cannot be undone by a start. */
  final?: true
}

/** A change of a resource; missing members did not change. */
export interface Alteration {
  /** When it was requested, and when it is complete: milliseconds since 1970. */
  asked: number
  at: number
  size?: string
  /** Stored gigabytes. */
  gb?: number
  specs?: Readonly<Record<string, unknown>>
  /** True if it was deleted. */
  gone?: true
}

export interface NotedAlteration extends Alteration {
  /** Number of power changes requested before it; with a stopped clock the times do not show the order. */
  after: number
}

/** One object created by provisioning. */
export interface MadeObject {
  name: string
  uid: string
  /** Missing if no inventory lists it. */
  type?: string
  size?: string
  units?: number
  /** Stored gigabytes. */
  gb?: number
  parentUid?: string
  specs?: Readonly<Record<string, unknown>>
}

/** What one provisioning call created, by its token. */
export interface Making {
  token: string
  jobId: string
  /** The job's step; `database` and `user` for objects on a provisioned server. */
  step: string
  region: string
  /** When it was requested, and when it is complete: milliseconds since 1970. */
  asked: number
  at: number
  objects: readonly MadeObject[]
  tags: Readonly<Record<string, string>>
  /** The answer, the same for repeats. */
  output: Readonly<Record<string, unknown>>
  /** The config, for the step that creates the main object. */
  config?: Readonly<Record<string, unknown>>
}

/** A deletion: when it was requested, and when it is complete, milliseconds since 1970. */
export interface Unmaking {
  token: string
  asked: number
  at: number
}

export interface KnownMaking extends Making {
  /** Milliseconds since 1970; undefined if it was not deleted. */
  goneAt?: number
}

/** Organization and account: producers choose account ids, so two organizations may have the same one. */
export interface Owner {
  orgId: string
  /** Of the account. */
  id: string
}

/** Changes by account: organizations never see each other's changes. */
export interface ActionLog {
  /** In order of request. */
  changes(accountId: string, uid: string): readonly PowerChange[]
  /** Without specs that a later one sets again. */
  alterations(accountId: string, uid: string): readonly NotedAlteration[]
  /** Policies that replaced the resource's own; undefined if they were not replaced. */
  policies(accountId: string, uid: string): readonly NativePolicy[] | undefined
  /** Everything that was created, in order. */
  makings(owner: Owner): ReadonlyMap<string, KnownMaking>
  /** For all organizations with an account of this id. */
  makingsAt(accountId: string): KnownMaking[]
  add(accountId: string, uid: string, change: PowerChange): void
  alter(accountId: string, uid: string, alteration: Alteration): void
  replace(accountId: string, uid: string, policies: readonly NativePolicy[]): void
  make(owner: Owner, making: Making): void
  /** Whether a token was deleted before it created anything; it then never creates anything. */
  isRetired(owner: Owner, token: string): boolean
  /** Objects inside a deleted object are deleted with it. A token that has created nothing is retired. */
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

/** Only the current specs are needed, so repeated changes take no additional memory. */
function withoutSaidAnew(earlier: NotedAlteration, { specs: anew = {}, asked, at }: Alteration): NotedAlteration {
  const { specs, ...rest } = earlier
  if (!specs || at > asked) return earlier
  const left = Object.entries(specs).filter(([name]) => !Object.hasOwn(anew, name))
  return left.length > 0 ? { ...rest, specs: Object.fromEntries(left) } : rest
}

const saysSomething = ({ size, gb, specs, gone }: Alteration): boolean =>
  [size, gb, gone].some((said) => said !== undefined) || Object.keys(specs ?? {}).length > 0
