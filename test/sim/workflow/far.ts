/** The far side: resources as they are, what is done to them over time, and a journal of every call that arrives. */
import { sameData } from '#engine/actor/row.ts'
import { cloudFault, type CloudAction, type Look } from '#streams/cloud/connector.ts'
import type { Repeat } from '#streams/cloud/resource/operation.ts'
import type { Resource } from '#test/sim/workflow/plan.ts'

/** A resource as it is. */
export interface Real extends Required<Pick<Look, 'exists' | 'status' | 'instanceType' | 'specs'>> {
  /** What it is on its way to, by kind of action. */
  going: Map<string, { id: string }>
}

/** One call that arrived. `by` is whose it was, as whoever made it knows. */
export interface Journalled<By> {
  id: string
  kind: CloudAction['kind']
  uid: string
  by: By
  hasEffect: boolean
}

/** How long what is asked for takes, milliseconds: 0 is at once, infinite for ever. */
export type Lasting = (kind: CloudAction['kind']) => number

export interface SkyTools<By> {
  repeats: Readonly<Record<string, Repeat>>
  lasting: Lasting
  later: (ms: number, run: () => void) => void
  /** Told of each call behind it. */
  journal: (entry: Journalled<By>) => void
  /** Told of each change. */
  changed: (uid: string, how: string) => void
}

const target: Readonly<Record<string, Real['status']>> = { start: 'running', stop: 'stopped', pause: 'stopped' }

export class Sky<By = unknown> {
  private readonly tools: SkyTools<By>
  private readonly resources: Map<string, Real>
  /** By id: what has been asked for, and whether it is done. */
  private readonly asked = new Map<string, { isDone: boolean }>()

  constructor(resources: readonly Resource[], tools: SkyTools<By>) {
    this.tools = tools
    this.resources = new Map(
      resources.map(({ uid, draft: { status, instanceType, specs } }) => [
        uid,
        { exists: true, status, instanceType, specs: { ...specs }, going: new Map() },
      ]),
    )
  }

  of(uid: string): Real {
    return this.resources.get(uid)!
  }

  /** Whether it is as a finding would have it. */
  isDone({ uid, draft: { template } }: Resource, targetSpec: Record<string, unknown> | null): boolean {
    const { exists, status, instanceType, specs } = this.of(uid)
    if (template === 'delete') return !exists
    if (template === 'resize') return instanceType === targetSpec?.['instance_type']
    if (targetSpec && template !== 'schedule')
      return Object.entries(targetSpec).every(([name, value]) => specs[name] === value)
    return (template === 'stop' || template === 'pause') && status === 'stopped'
  }

  look(uid: string, isBlind: boolean): Look {
    const { exists, status, instanceType, specs } = this.of(uid)
    if (!exists || isBlind) return { exists }
    return { exists, status, ...(instanceType !== '' && { instanceType }), specs: { ...specs } }
  }

  /** A call arrives. @throws what clouds throw */
  take(action: CloudAction, by: By): 'succeeded' | 'running' {
    const { id, kind, resource } = action
    const repeat = this.tools.repeats[kind]!
    const known = repeat === 'token' ? this.asked.get(id) : undefined
    if (known) {
      this.tools.journal({ id, kind, uid: resource.resourceUid, by, hasEffect: false })
      return known.isDone ? 'succeeded' : 'running'
    }
    const real = this.of(resource.resourceUid)
    refuse(real, action)
    if (repeat === 'natural') {
      const isGoing = real.going.has(kind)
      if (isGoing || this.isSo(real, action)) {
        this.tools.journal({ id, kind, uid: resource.resourceUid, by, hasEffect: false })
        return isGoing ? 'running' : 'succeeded'
      }
    }
    this.tools.journal({ id, kind, uid: resource.resourceUid, by, hasEffect: true })
    return this.begin(real, action, repeat)
  }

  private begin(real: Real, action: CloudAction, repeat: Repeat): 'succeeded' | 'running' {
    const { id, kind, resource } = action
    const own = { isDone: false }
    this.asked.set(id, own)
    const ms = this.tools.lasting(kind)
    const end = () => {
      own.isDone = true
      if (real.going.get(kind)?.id === id) real.going.delete(kind)
      this.apply(real, action)
      this.tools.changed(resource.resourceUid, `${kind} is done`)
    }
    if (ms === 0) {
      end()
      return 'succeeded'
    }
    real.going.set(kind, { id })
    if (kind === 'start') real.status = 'starting'
    if (kind === 'stop' || kind === 'pause') real.status = 'stopping'
    // What may be done twice shows at once that it was asked for: else no look could tell.
    if (repeat === 'look' && (kind === 'set' || kind === 'resize')) this.apply(real, action)
    if (repeat === 'look' && kind === 'delete') real.status = 'stopping'
    this.tools.changed(resource.resourceUid, `${kind} begins`)
    if (ms !== Infinity) this.tools.later(ms, end)
    return 'running'
  }

  private isSo(real: Real, { kind, size, specs = {} }: CloudAction): boolean {
    if (kind === 'delete') return !real.exists
    if (kind === 'resize') return real.instanceType === size
    if (kind === 'set')
      return Object.entries(specs).every(([name, value]) =>
        name === 'instance_type' ? real.instanceType === value : sameData(real.specs[name], value),
      )
    return real.status === target[kind]
  }

  private apply(real: Real, { kind, size, specs = {} }: CloudAction): void {
    const status = target[kind]
    if (status) real.status = status
    if (kind === 'delete') real.exists = false
    if (kind === 'resize') real.instanceType = size!
    if (kind !== 'set') return
    const { instance_type: type, ...others } = specs
    if (type !== undefined) real.instanceType = type as string
    real.specs = { ...real.specs, ...others }
  }

  /** Whether something asked for under this id is done. */
  wasDone(id: string): boolean {
    return this.asked.get(id)?.isDone ?? false
  }

  /** Somebody else changes it; what it was on its way to is over. */
  byHand(uid: string, how: 'start' | 'stop' | 'resize' | 'set' | 'delete'): void {
    const real = this.of(uid)
    if (!real.exists) return
    if (how === 'start' || how === 'stop') real.status = target[how]!
    if (how === 'resize' && real.instanceType !== '') real.instanceType = 'c5.xlarge'
    if (how === 'set') real.specs = { ...real.specs, volume_type: 'io1' }
    if (how === 'delete') real.exists = false
    this.tools.changed(uid, `somebody does ${how}`)
  }
}

function refuse({ exists, status, going }: Real, { kind }: CloudAction): void {
  if (!exists) throw cloudFault('user_action', 'resource_not_found', 'It no longer exists.')
  if (kind === 'resize' && status !== 'stopped')
    throw cloudFault('user_action', 'invalid_state', 'It must be stopped to be of another size.')
  if (kind === 'start' && going.has('resize')) throw cloudFault('transient', 'busy', 'Its size is being changed.')
}
