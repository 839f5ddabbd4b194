/** What the rules would say of resources, and what the audit knows of that: stand-ins for the audit and the inventory. */
import { defineActor, type Actor } from '#engine/actor/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import { powerTold } from '#streams/action/messages.ts'
import { resourceLooked, type ResourceStatus } from '#streams/resource/messages.ts'
import { factsAsked, factsJudged } from '#streams/workflow.ts'
import type { Sky } from '#test/sim/workflow/far.ts'
import type { Resource } from '#test/sim/workflow/plan.ts'

type Judged = Pick<Static<typeof factsJudged.schema>, 'outcome' | 'targetSpec'>

export interface Judgement extends Judged {
  uid: string
}

interface Ruling {
  resource: Resource
  targetSpec: Judged['targetSpec']
  isCleared: boolean
  /** Nothing is known of what the rule reads. */
  isHeld: boolean
  /** As the audit knows it: as it was when facts were gathered last. */
  known: Judged
}

export class Truth {
  private readonly rulings: Map<string, Ruling>
  private readonly sky: Pick<Sky, 'of' | 'isDone'>

  constructor(resources: readonly Resource[], sky: Pick<Sky, 'of' | 'isDone'>) {
    this.sky = sky
    const known = ({ draft }: Resource): Judged => ({ outcome: 'fires', targetSpec: draft.finding.targetSpec })
    this.rulings = new Map(
      resources.map((resource) => [
        resource.uid,
        { resource, ...known(resource), isCleared: false, isHeld: false, known: known(resource) },
      ]),
    )
  }

  private of(uid: string): Ruling {
    return this.rulings.get(uid)!
  }

  change(uid: string, change: Partial<Pick<Ruling, 'isCleared' | 'isHeld'>>): void {
    Object.assign(this.of(uid), change)
  }

  /** Where the rule has something else to say. */
  restate(uid: string): void {
    const ruling = this.of(uid)
    ruling.targetSpec = ruling.resource.draft.restated ?? ruling.targetSpec
  }

  now(uid: string): Judged {
    const { resource, targetSpec, isCleared, isHeld } = this.of(uid)
    if (!this.sky.of(uid).exists) return { outcome: 'gone', targetSpec: null }
    if (isHeld) return { outcome: 'hold', targetSpec: null }
    if (isCleared || this.sky.isDone(resource, targetSpec)) return { outcome: 'clear', targetSpec: null }
    return { outcome: 'fires', targetSpec }
  }

  /** Facts are gathered. */
  gather(uid: string): Judged {
    return (this.of(uid).known = this.now(uid))
  }

  judge(uids: readonly string[]): Judgement[] {
    return uids.map((uid) => ({ uid, ...this.of(uid).known }))
  }
}

class Audit {
  orgId = ''
  cloudAccountId = ''
  uid = ''
}

export class Inventory {
  orgId = ''
  cloudAccountId = ''
  uid = ''
  observed: ResourceStatus | '' = ''
  at = ''
  n = 0
  /** What was seen last behind a change. */
  looked: Looked | null = null
}

type Looked = Static<typeof resourceLooked.schema>

const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid
const address = { orgId: 'orgId', place: 'cloudAccountId', key: 'uid' } as const

/** Answers by what it knows. */
export const auditActor: Actor<Audit> = defineActor({
  kind: 'audit',
  entity: Audit,
  address,
  initial: () => ({}),
  needs: (waiting, reads) => reads.rows<Judgement>('what is true', [waiting.map(({ address: { key } }) => key)]),
  reactions: (on) => [
    on(factsAsked, ofResource, (_, { cloudAccountId, jobId, resourceUid, n }, turn) => {
      const found = (turn.needs as Judgement[]).find(({ uid }) => uid === resourceUid)!
      const { outcome, targetSpec } = found
      turn.emit(factsJudged, { cloudAccountId, jobId, resourceUid, n, outcome, targetSpec })
    }),
  ],
})

/** Hears what powers have seen. */
export const inventoryActor: Actor<Inventory> = defineActor({
  kind: 'inventory',
  entity: Inventory,
  address,
  initial: () => ({ observed: '' as const, at: '', n: 0, looked: null }),
  reactions: (on) => [
    on(powerTold, ofResource, (row, { observed, at, n }) => {
      if (observed && (at > row.at || (at === row.at && n > row.n))) Object.assign(row, { observed, at, n })
    }),
    on(resourceLooked, ofResource, (row, looked) => {
      row.looked = looked
    }),
  ],
})
