/** What a seed is made of: the world as it begins, and what befalls it, drawn before anything runs. */
import type { GuardrailSpec } from '#actors/workflow/guard/guardrail.ts'
import type { WorkflowSpec } from '#actors/workflow/custom/spec.ts'
import { repeats, type Repeat } from '#streams/cloud/resource/operation.ts'
import type { TemplateName } from '#streams/workflow.ts'
import { drafts, type Draft } from '#test/sim/workflow/finding.ts'
import type { Random } from '#test/sim/scheduler.ts'

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export interface Resource {
  uid: string
  account: string
  draft: Draft
  tags: Record<string, string>
}

/** `machine`: a token that is nobody's. */
export interface Person {
  id: string
  role: 'owner' | 'admin' | 'viewer'
  isMachine: boolean
}

export interface Policy {
  id: string
  domain: 'workflow' | 'guardrail'
  enabled: boolean
  spec: WorkflowSpec | GuardrailSpec
}

export type Strike =
  | { what: 'owner' | 'kill owner' | 'kill caller' | 'stop caller' | 'pause' | 'pause caller' }
  | { what: 'jump'; ms: number }
  | { what: 'role'; user: string; role: Person['role'] }
  | { what: 'policy'; id: string; enabled: boolean; spec?: Policy['spec'] }
  | { what: 'hand'; uid: string; how: 'start' | 'stop' | 'resize' | 'set' | 'delete' }
  | { what: 'refresh' | 'audit' | 'restate' | 'clear' | 'hold' | 'know' | 'tag'; uid: string }
  | { what: 'schedule'; uid: string; action: 'start' | 'stop' }
  | { what: 'people'; uid: string; user: string; action: 'start' | 'stop' }
  | { what: 'begin'; uid: string; user: string; times: number }
  | { what: 'settle'; uid: string; user: string; status: 'applied' | 'dismissed' | 'open' }
  | { what: 'cancel' | 'approve' | 'reject'; uid: string; user: string; isNamed: boolean }

/** Chances, of each call. */
export interface Faults {
  refuse: number
  throttle: number
  hang: number
  lose: number
  twice: number
  slow: number
  stuck: number
  halfway: number
  blind: number
  lookSlow: number
  lookFails: number
}

export interface Plan {
  accounts: readonly string[]
  resources: readonly Resource[]
  people: readonly Person[]
  policies: readonly Policy[]
  strikes: readonly { at: number; strike: Strike }[]
  repeats: Readonly<Record<string, Repeat>>
  faults: Faults
  batchMax: number
  /** Chances of a death at each step, at each commit, and of a store that does not answer. */
  crash: number
  commitCrash: number
  away: number
  /** Of the message that facts are asked for by: late, or never. */
  gatherLate: number
  gatherNever: number
  /** How eager people are, and how far behind the edge is with their roles, milliseconds. */
  approves: number
  rejects: number
  edgeLagMs: number
  calmAt: number
  /** Everything stays halted behind it. */
  isHalted: boolean
}

export function makePlan(random: Random): Plan {
  const accounts = random.chance(0.3) ? ['a1', 'a2'] : ['a1']
  const resources = Array.from({ length: random.between(1, 3) }, (_, i) => resourceOf(random, i, accounts))
  const people = peopleOf(random)
  const calmAt = random.pick([2, 2, 6, 6, 12, 12, 25, 25, 200]) * minuteMs
  const isHarsh = random.chance(0.3)
  const rate = (of: number): number => (random.chance(isHarsh ? 0.6 : 0.25) ? of : 0)
  const policies = policiesOf(random)
  const strikes = new Strikes(random, { resources, people, policies, calmAt }).list()
  return {
    accounts,
    resources,
    people,
    policies,
    strikes,
    repeats: Object.fromEntries(kinds.map((kind) => [kind, repeatOf(random, kind)])),
    faults: {
      refuse: rate(0.25),
      throttle: rate(0.3),
      hang: rate(0.25),
      lose: rate(0.2),
      twice: rate(0.3),
      slow: rate(0.6),
      stuck: rate(0.15),
      halfway: rate(0.6),
      blind: rate(0.5),
      lookSlow: rate(0.2),
      lookFails: rate(0.2),
    },
    batchMax: random.pick([1, 3, 20]),
    crash: rate(0.02),
    commitCrash: rate(0.05),
    away: rate(0.05),
    gatherLate: rate(0.3),
    gatherNever: rate(0.15),
    approves: random.pick([0.5, 0.9, 0.9, 1]),
    rejects: random.pick([0, 0, 0.1, 0.3]),
    edgeLagMs: random.pick([0, 2000, 5000]),
    calmAt,
    isHalted: random.chance(0.05),
  }
}

const kinds = ['start', 'stop', 'pause', 'resize', 'set', 'snapshot', 'delete'] as const

/** What is on or off is so however often it is asked for; of a snapshot nothing is to be seen. */
function repeatOf(random: Random, kind: (typeof kinds)[number]): Repeat {
  if (kind === 'start' || kind === 'stop') return 'natural'
  const found = random.pick(repeats)
  return kind === 'snapshot' && found === 'natural' ? 'token' : found
}

function resourceOf(random: Random, index: number, accounts: readonly string[]): Resource {
  const tags: Record<string, string> = random.chance(0.3) ? { env: random.pick(['prod', 'dev']) } : {}
  if (random.chance(0.03)) tags['do-not-delete'] = random.pick(['yes', 'false'])
  return { uid: `r${index + 1}`, account: random.pick(accounts), draft: random.pick(drafts), tags }
}

function peopleOf(random: Random): Person[] {
  const count = random.between(2, 4)
  const people = Array.from({ length: count }, (_, i): Person => ({
    id: `u${i + 1}`,
    role: i === 0 ? 'owner' : random.pick(['admin', 'admin', 'viewer']),
    isMachine: false,
  }))
  if (random.chance(0.3)) people.push({ id: 't1', role: 'admin', isMachine: true })
  return people
}

function policiesOf(random: Random): Policy[] {
  const own = Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, (_, i): Policy => ({
    id: `p${i + 1}`,
    domain: 'workflow',
    enabled: true,
    spec: workflowSpec(random),
  }))
  if (random.chance(0.6)) own.push({ id: 'g1', domain: 'guardrail', enabled: true, spec: guardrailSpec(random) })
  return own
}

function workflowSpec(random: Random): WorkflowSpec {
  const spec: WorkflowSpec = {}
  if (random.chance(0.4)) spec.extraApprovals = random.pick([1, 1, 2])
  if (random.chance(0.3)) spec.expiresHours = random.pick([1, 2, 24])
  if (random.chance(0.3)) spec.fourEyes = true
  if (random.chance(0.15)) spec.window = { days: [1, 2, 3, 4, 5, 6, 7], from: '20:00', to: '06:00', timezone: 'UTC' }
  if (random.chance(0.3)) spec.match = { selector: { all: [{ attr: 'res.tags.env', op: 'in', values: ['prod'] }] } }
  if (random.chance(0.25)) Object.assign(spec, listOf(random))
  return spec
}

/** A list with an approval, and now and then a precondition, of its own. */
function listOf(random: Random): Pick<WorkflowSpec, 'template' | 'steps'> {
  const template: TemplateName = random.pick(['stop', 'resize', 'delete'])
  const steps: WorkflowSpec['steps'] = [
    { id: `${template}/precondition/1`, name: 'precondition', kind: 'precondition' },
    { id: 'owner/approve', name: 'owner', kind: 'approval', expiresHours: random.pick([1, 48]) },
    ...(random.chance(0.5) ? [{ id: 'again', name: 'again', kind: 'precondition' as const }] : []),
    { id: `${template}/approve/1`, name: 'approval', kind: 'approval', approvals: random.pick([1, 2]) },
    { id: `${template}/execute/1`, name: 'execute', kind: 'execute', op: template },
    { id: `${template}/validate/1`, name: 'validate', kind: 'validate', timeoutMinutes: random.pick([1, 30]) },
  ]
  return { template, steps }
}

function guardrailSpec(random: Random): GuardrailSpec {
  const spec: GuardrailSpec = {}
  if (random.chance(0.3)) spec.destructivePerHour = random.pick([1, 2])
  if (random.chance(0.15)) spec.destructivePerDay = Math.max(spec.destructivePerHour ?? 1, random.pick([1, 2]))
  if (random.chance(0.3)) spec.concurrent = 1
  if (random.chance(0.1)) spec.monthlyCostTouchedUsd = random.pick([150, 250])
  if (random.chance(0.2)) spec.protectedEnvs = ['prod']
  if (random.chance(0.1)) spec.frozenUntil = '2026-01-15T14:00:00Z'
  if (spec.destructivePerDay === undefined || (spec.destructivePerHour ?? 20) <= spec.destructivePerDay) return spec
  return { ...spec, destructivePerHour: spec.destructivePerDay }
}

interface Scene {
  resources: readonly Resource[]
  people: readonly Person[]
  policies: readonly Policy[]
  calmAt: number
}

const machines = ['owner', 'kill owner', 'kill caller', 'stop caller', 'pause', 'pause caller'] as const

class Strikes {
  private readonly random: Random
  private readonly scene: Scene
  private readonly found: { at: number; strike: Strike }[] = []

  constructor(random: Random, scene: Scene) {
    this.random = random
    this.scene = scene
  }

  list(): { at: number; strike: Strike }[] {
    const { random, scene } = this
    for (const { uid } of scene.resources) this.ofResource(uid)
    for (let n = random.pick([0, 0, 1, 3]); n > 0; n--) this.at(this.time(), { what: random.pick(machines) })
    for (let n = random.pick([0, 0, 1, 2]); n > 0; n--) this.at(this.time(), { what: 'jump', ms: this.jump() })
    for (let n = random.pick([0, 0, 1, 2, 3]); n > 0; n--) {
      const role = random.pick(['admin', 'viewer', 'viewer'] as const)
      this.at(this.time(), { what: 'role', user: this.user(), role })
    }
    this.policies()
    return this.found
  }

  private at(at: number, strike: Strike): void {
    this.found.push({ at, strike })
  }

  /** Most of it soon. */
  private time(): number {
    const { calmAt } = this.scene
    return this.random.below(this.random.chance(0.6) ? Math.min(calmAt, 90_000) : calmAt)
  }

  private user(): string {
    return this.random.pick(this.scene.people).id
  }

  private jump(): number {
    const { random } = this
    return random.pick([random.between(1, 30) * minuteMs, random.between(1, 5) * dayMs, random.between(7, 21) * dayMs])
  }

  private policies(): void {
    const { random, scene } = this
    for (const { id, domain } of scene.policies) {
      if (domain === 'guardrail' && random.chance(0.5)) this.halt(id)
      if (!random.chance(0.3)) continue
      const spec = domain === 'guardrail' ? guardrailSpec(random) : workflowSpec(random)
      this.at(this.time(), { what: 'policy', id, enabled: random.chance(0.7), ...(random.chance(0.7) && { spec }) })
    }
  }

  private halt(id: string): void {
    const from = this.time()
    const spec = guardrailSpec(this.random)
    this.at(from, { what: 'policy', id, enabled: true, spec: { ...spec, killSwitch: true } })
    if (this.random.chance(0.8))
      this.at(from + this.random.pick([3000, 60_000, 600_000, 3 * hourMs]), { what: 'policy', id, enabled: true, spec })
  }

  private ofResource(uid: string): void {
    const { random } = this
    this.at(random.below(20_000), { what: 'begin', uid, user: this.user(), times: random.chance(0.1) ? 2 : 1 })
    for (let n = random.pick([0, 1, 2]); n > 0; n--)
      this.at(this.time(), { what: 'begin', uid, user: this.user(), times: random.chance(0.2) ? 2 : 1 })
    const some = (chance: number, make: () => Strike): void => {
      if (random.chance(chance)) this.at(this.time(), make())
    }
    const how = () => random.pick(['start', 'stop', 'resize', 'set', 'delete'] as const)
    some(0.2, () => ({ what: 'hand', uid, how: how() }))
    some(0.2, () => ({ what: 'hand', uid, how: how() }))
    for (const what of ['refresh', 'audit', 'audit', 'restate', 'clear', 'hold', 'know'] as const)
      some(what === 'hold' || what === 'clear' ? 0.07 : 0.2, () => ({ what, uid }))
    some(0.05, () => ({ what: 'tag', uid }))
    for (const action of ['start', 'stop', 'start'] as const) some(0.2, () => ({ what: 'schedule', uid, action }))
    some(0.1, () => ({ what: 'people', uid, user: this.user(), action: random.pick(['start', 'stop']) }))
    for (const status of ['applied', 'dismissed', 'open', 'open'] as const)
      some(0.1, () => ({ what: 'settle', uid, user: this.user(), status }))
    for (const what of ['cancel', 'approve', 'approve', 'reject'] as const)
      some(what === 'approve' ? 0.3 : 0.1, () => ({ what, uid, user: this.user(), isNamed: random.chance(0.3) }))
  }
}
