/** Plain records, and what they were at each moment: people with their roles, tokens, policies, the inventory, schedules. */
import { guardrailDefaults, type Guardrail, type GuardrailSpec } from '#actors/workflow/guard/guardrail.ts'
import type { Look } from '#streams/cloud/connector.ts'
import type { ResourceStatus } from '#streams/resource/messages.ts'
import type { Person, Plan, Policy, Resource } from '#test/sim/workflow/plan.ts'

/** A row of the inventory. */
export interface Known {
  uid: string
  account: string
  type: string
  status: ResourceStatus
  observedAt: Date
  instanceType: string
  specs: Record<string, unknown>
  schedulable: boolean
  tags: Record<string, string>
  deletedAt: Date | null
}

/** What something was from a moment on. Moments count what happens, one by one. */
interface Since<T> {
  from: number
  value: T
}

/** One after the other. */
class History<T> {
  private readonly list: Since<T>[] = []

  set(from: number, value: T): void {
    this.list.push({ from, value })
  }

  at(moment: number): T | undefined {
    return this.list.findLast(({ from }) => from <= moment)?.value
  }

  /** All that it was from one moment to another. */
  between(from: number, to: number): T[] {
    const first = this.list.findLastIndex((since) => since.from <= from)
    return this.list.slice(Math.max(0, first)).flatMap((since) => (since.from <= to ? [since.value] : []))
  }
}

let runs = 0

export class Plain {
  /** Counts what happens: of two the larger was later. */
  moment = 0
  readonly people = new Map<string, Person>()
  readonly policies: Policy[]
  readonly inventory = new Map<string, Known>()
  /** Ids of schedules by the resource that they name. */
  readonly schedules = new Map<string, string>()
  private readonly roles = new Map<string, History<Person['role']>>()
  private readonly tagged = new Map<string, number>()
  private readonly sets = new History<readonly Policy[]>()
  // What the product holds of policies outlives a world: no two worlds have the same versions.
  private version = ++runs * 1000

  constructor({ people, policies, resources }: Plan, now: Date) {
    for (const person of people) this.setRole(person, person.role)
    this.policies = policies.map((policy) => ({ ...policy }))
    this.keepPolicies()
    for (const resource of resources) this.inventory.set(resource.uid, known(resource, now))
  }

  setRole(person: Person, role: Person['role']): void {
    this.people.set(person.id, { ...person, role })
    let history = this.roles.get(person.id)
    if (!history) this.roles.set(person.id, (history = new History()))
    history.set(++this.moment, role)
  }

  wasAdmin(id: string, moment: number): boolean {
    const role = this.roles.get(id)?.at(moment)
    return role === 'owner' || role === 'admin'
  }

  wasAlwaysAdmin(id: string, from: number): boolean {
    return !this.roles.get(id)!.between(from, this.moment).includes('viewer')
  }

  /** Members alone: tokens are told nothing. */
  get admins(): Person[] {
    return [...this.people.values()].filter(({ role, isMachine }) => role !== 'viewer' && !isMachine)
  }

  setPolicy(id: string, change: Partial<Policy>): void {
    const at = this.policies.findIndex((policy) => policy.id === id)
    this.policies[at] = { ...this.policies[at]!, ...change }
    this.version++
    this.keepPolicies()
  }

  private keepPolicies(): void {
    this.sets.set(++this.moment, [...this.policies])
  }

  get policyVersion(): number {
    return this.version
  }

  enabled(domain: Policy['domain'], policies: readonly Policy[] = this.policies): Policy[] {
    return policies.filter((policy) => policy.domain === domain && policy.enabled)
  }

  policiesBetween(from: number, to: number): (readonly Policy[])[] {
    return this.sets.between(from, to)
  }

  /** What the organization allows, by one of the policies it had. */
  guardrail(policies: readonly Policy[]): Guardrail {
    const [first] = this.enabled('guardrail', policies)
    return { ...guardrailDefaults, ...(first?.spec as GuardrailSpec | undefined) }
  }

  wasHalted(moment: number): boolean {
    return this.guardrail(this.sets.at(moment)!).killSwitch
  }

  /** Its tags are others from now on. */
  tag(uid: string, tags: Record<string, string>): void {
    const row = this.inventory.get(uid)!
    this.inventory.set(uid, { ...row, tags: { ...row.tags, ...tags } })
    this.tagged.set(uid, ++this.moment)
  }

  /** Since when it is left alone, if it is. */
  isProtected(uid: string, since: number): boolean {
    const { tags } = this.inventory.get(uid)!
    return (tags['do-not-delete'] ?? 'false') !== 'false' && (this.tagged.get(uid) ?? 0) <= since
  }

  /** The inventory learns what is so. */
  observe(uid: string, { exists, status, instanceType, specs }: Look, now: Date): void {
    const row = this.inventory.get(uid)!
    this.inventory.set(uid, {
      ...row,
      ...(status && { status }),
      ...(instanceType !== undefined && { instanceType }),
      ...(specs && { specs }),
      observedAt: now,
      deletedAt: exists ? null : (row.deletedAt ?? now),
    })
  }
}

const known = ({ uid, account, draft, tags }: Resource, observedAt: Date): Known => ({
  uid,
  account,
  type: draft.type,
  status: draft.status,
  observedAt,
  instanceType: draft.instanceType,
  specs: { ...draft.specs },
  schedulable: draft.schedulable,
  tags,
  deletedAt: null,
})
