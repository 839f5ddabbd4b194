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

/** For each account that connects the simulated cloud: two organizations never see what the other has done. */
export interface ActionLog {
  /** In the order in which they were asked for. */
  changes(accountId: string, uid: string): readonly PowerChange[]
  /** Without the specs that later ones say anew. */
  alterations(accountId: string, uid: string): readonly NotedAlteration[]
  /** Those that stand where its own did; undefined while nobody has replaced those. */
  policies(accountId: string, uid: string): readonly NativePolicy[] | undefined
  add(accountId: string, uid: string, change: PowerChange): void
  alter(accountId: string, uid: string, alteration: Alteration): void
  replace(accountId: string, uid: string, policies: readonly NativePolicy[]): void
}

export function actionLog(): ActionLog {
  const switched = new Map<string, PowerChange[]>()
  const altered = new Map<string, NotedAlteration[]>()
  const replaced = new Map<string, readonly NativePolicy[]>()
  const key = (accountId: string, uid: string) => `${accountId}\n${uid}`
  return {
    changes: (accountId, uid) => switched.get(key(accountId, uid)) ?? [],
    alterations: (accountId, uid) => altered.get(key(accountId, uid)) ?? [],
    policies: (accountId, uid) => replaced.get(key(accountId, uid)),
    add(accountId, uid, change) {
      const made = switched.get(key(accountId, uid))
      if (made) made.push(change)
      else switched.set(key(accountId, uid), [change])
    },
    alter(accountId, uid, alteration) {
      const made = { ...alteration, after: this.changes(accountId, uid).length }
      const before = this.alterations(accountId, uid).map((earlier) => withoutSaidAnew(earlier, alteration))
      const kept = [...before, made].filter(saysSomething)
      if (kept.length > 0) altered.set(key(accountId, uid), kept)
    },
    replace(accountId, uid, policies) {
      replaced.set(key(accountId, uid), policies)
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
