/** The power of one resource in memory, and what its turns come to. */
import type { Power } from '#actors/action/entity.ts'
import { powerActor } from '#actors/action/power/power.ts'
import type { AccountFacts, Holding, PowerNeeds, ResourceFacts } from '#actors/action/power/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Static } from '#engine/value/schema.ts'
import {
  actionLimitReached,
  actionReported,
  actionRetryDue,
  actionWaited,
  actionWanted,
  type ActionSource,
  type PowerAction,
} from '#streams/action/messages.ts'
import { intentIdOf } from '#streams/action/exec.ts'
import { MemoryActor, type Done } from '#test/harness/turn.ts'

export const at = (seconds: number) => Date.parse('2026-01-15T10:00:00Z') + seconds * 1000
export const iso = (seconds: number) => new Date(at(seconds)).toISOString()
export const place = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }

const resource = (fields: Partial<ResourceFacts> = {}): ResourceFacts => ({
  name: 'web',
  type: 'aws-ec2',
  provider: 'aws',
  region: 'us-east-1',
  schedulable: true,
  observed_status: 'running',
  observed_at: new Date(at(0)),
  deleted_at: null,
  ...fields,
})

export interface Facts {
  resource?: Partial<ResourceFacts> | null
  account?: Partial<AccountFacts> | null
  overrides?: Holding[]
}

export const needs = ({ resource: r = {}, account: a = {}, overrides = [] }: Facts = {}): PowerNeeds => ({
  warrants: new Map(),
  resources: new Map(r ? [['o1\0acct-1\0i-1', resource(r)]] : []),
  accounts: new Map(a ? [['o1\0acct-1', { status: 'connected', permission_verdict: 'read_write', ...a }]] : []),
  overrides: new Map([['o1\0i-1', overrides]]),
  schedules: new Map(),
})

export const manual: ActionSource = { type: 'manual', id: 'u-1' }
export const fire = (eventId: string): ActionSource => ({ type: 'schedule', id: 's-1', name: 'Night', eventId })
export const bulk: ActionSource = { type: 'bulk', id: 'b-1', bulkId: 'b-1' }
export const intentOf = (actionId: string, attempt = 1) =>
  intentIdOf(uuidOf('intent', actionId, String(attempt)), 'i-1')

export type Reported = Static<typeof actionReported.schema>

/** A resource's power, and all that it has told since the last look. */
export class World {
  readonly actor = new MemoryActor<Power>(powerActor as never, { key: 'i-1' })

  want(actionId: string, action: PowerAction, source = manual, facts?: Facts, seconds?: number): Done {
    const wanted = { ...place, actionId, action, reason: null, source }
    return this.actor.take(actionWanted, wanted, this.when(seconds, facts))
  }

  say(
    actionId: string,
    status: Reported['status'],
    fields: Partial<Reported> = {},
    seconds?: number,
    attempt = 1,
  ): Done {
    const said = { ...place, intentId: intentOf(actionId, attempt), status, ...fields }
    return this.actor.take(actionReported, said, this.when(seconds))
  }

  retry(actionId: string, seconds: number, facts?: Facts, attempt = 1): Done {
    return this.actor.take(
      actionRetryDue,
      { ...place, intentId: intentOf(actionId, attempt) },
      this.when(seconds, facts),
    )
  }

  limit(actionId: string, seconds: number): Done {
    return this.actor.take(actionLimitReached, { ...place, intentId: intentOf(actionId) }, this.when(seconds))
  }

  proceed(actionId: string, facts?: Facts): Done {
    return this.actor.take(actionWaited, { ...place, actionId }, this.when(undefined, facts))
  }

  private when(seconds: number | undefined, facts?: Facts) {
    return { needs: needs(facts), ...(seconds !== undefined && { at: at(seconds) }) }
  }
}

export const of = (done: Done, type: string) => done.emitted.filter((one) => one.type === type).map(({ data }) => data)
export const statuses = (done: Done) => of(done, 'action.told').map(({ actionId, status }) => `${actionId} ${status}`)
export const history = (done: Done) => done.facts.filter(({ table }) => table === 'state_history').map(({ row }) => row)
export const ends = (done: Done) =>
  [...of(done, 'bulk.member_ended'), ...of(done, 'scheduler_event.member_ended')].map(
    ({ actionId, outcome, message }) => `${actionId} ${outcome}${message ? `: ${message}` : ''}`,
  )
export const events = (done: Done) =>
  done.emitted.map(({ type }) => type).filter((type) => type.startsWith('resource.'))
export const shows = (done: Done) =>
  of(done, 'power.told').map(({ shows, observed, n, at: when, until }) => ({ shows, observed, n, at: when, until }))
export const idle = {
  live: null,
  waiting: null,
  last: null,
  before: null,
  seen: null,
  held: null,
  n: 0,
  liveId: null,
  waitingId: null,
  lastId: null,
}
