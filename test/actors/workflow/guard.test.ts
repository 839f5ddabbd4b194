import { expect } from 'chai'
import { countedMax, type GuardRequest, type Grounds } from '#actors/workflow/guard/check.ts'
import { decide } from '#actors/workflow/guard/decide.ts'
import type { Grant } from '#actors/workflow/guard/entity.ts'
import type { Guardrail } from '#actors/workflow/guard/guardrail.ts'
import { decoder } from '#engine/value/schema.ts'
import { guardAnswered, type ChangeWindow } from '#streams/workflow.ts'
import {
  asked,
  dayMs,
  grant,
  grants,
  grounds,
  hourMs,
  iso,
  minuteMs,
  now,
  ofShop,
  secondMs,
  shop,
  yes,
} from './asking.ts'

const later = (code: string, message: string, inMs: number) => ({
  answer: 'later',
  code,
  message,
  retryAt: iso(now + inMs),
})
const no = (code: string, message: string) => ({ answer: 'no', code, message })

const window = (from: string, to: string, fields: Partial<ChangeWindow> = {}): ChangeWindow => ({
  days: [4],
  from,
  to,
  timezone: 'UTC',
  ...fields,
})

interface Row {
  name: string
  asked?: Partial<GuardRequest>
  guardrail?: Partial<Guardrail>
  grounds?: Partial<Grounds>
  grants?: Grant[]
  answer: object
}
const start = { template: 'start', approvals: 0 } as const

const halted = later('halted', 'The kill switch has stopped all changes.', 30 * secondMs)
const busy = later('resource_busy', 'Another workflow is already changing the resource.', 30 * secondMs)
const protectedBy = (tag: string) => no('protected', `The resource is protected by its tag ${tag}.`)
const only = (text: string, inMs: number) => later('outside_window', `Changes are only allowed during: ${text}.`, inMs)
const hourly = (limit: number, inMs: number) =>
  later('limit_hour', `The limit of ${limit} changes per hour is reached.`, inMs)
const daily = (limit: number, inMs: number) =>
  later('limit_day', `The limit of ${limit} changes per day is reached.`, inMs)
const dear = (cost: string, touched: string, limit: string, inMs: number) =>
  later(
    'limit_cost',
    `The resource costs ${cost} US dollars a month. Together with the ${touched} of resources changed in the last 30 days, that exceeds the limit of ${limit}.`,
    inMs,
  )
const shared = (changed: number, size: number, percent: number, limit: number, inMs: number) =>
  later(
    'group_share',
    `${changed} of the ${size} resources in the group Shop were changed within a day: the limit of ${percent}%, which is ${limit}, is reached.`,
    inMs,
  )

const rows: readonly Row[] = [
  { name: 'nothing stands against it', answer: yes },

  { name: 'the kill switch', guardrail: { killSwitch: true }, answer: halted },
  { name: 'the kill switch, of a start too', guardrail: { killSwitch: true }, asked: start, answer: halted },
  {
    name: 'frozen for a minute',
    guardrail: { frozenUntil: iso(now + minuteMs) },
    answer: later('frozen', 'Changes are frozen until 2026-01-15 10:01 UTC.', minuteMs),
  },
  {
    name: 'frozen for a month: asks again in an hour',
    guardrail: { frozenUntil: '2026-02-15T12:30:00+01:00' },
    asked: start,
    answer: later('frozen', 'Changes are frozen until 2026-02-15 11:30 UTC.', hourMs),
  },
  { name: 'frozen until now', guardrail: { frozenUntil: iso(now) }, answer: yes },

  { name: 'the first minute of a window', guardrail: { windows: [window('10:00', '11:00')] }, answer: yes },
  {
    name: 'the end of a window',
    guardrail: { windows: [window('09:00', '10:00')] },
    answer: only('Thu 09:00 to 10:00 UTC', hourMs),
  },
  {
    name: 'before a window',
    guardrail: { windows: [window('10:20', '11:00')] },
    asked: start,
    answer: only('Thu 10:20 to 11:00 UTC', 20 * minuteMs),
  },
  {
    name: 'in one of two windows',
    guardrail: { windows: [window('12:00', '13:00'), window('09:00', '10:01')] },
    answer: yes,
  },
  {
    name: 'in none of two windows: the next counts',
    guardrail: { windows: [window('10:50', '11:00'), window('10:40', '11:00')] },
    answer: only('Thu 10:50 to 11:00 UTC; Thu 10:40 to 11:00 UTC', 40 * minuteMs),
  },
  { name: "in each of its policies' windows", asked: { windows: [window('09:00', '11:00')] }, answer: yes },
  {
    name: "in one of its policies' windows alone: both must be open",
    asked: { windows: [window('09:00', '10:45'), window('10:30', '12:00')] },
    answer: only('Thu 10:30 to 12:00 UTC', 30 * minuteMs),
  },
  {
    name: 'in windows that are never open together',
    asked: { windows: [window('09:00', '10:30'), window('10:30', '12:00')] },
    answer: only('Thu 10:30 to 12:00 UTC', hourMs),
  },
  {
    name: "in the guardrail's window and not in its policy's",
    guardrail: { windows: [window('09:00', '12:00')] },
    asked: { windows: [window('10:05', '12:00')] },
    answer: only('Thu 10:05 to 12:00 UTC', 5 * minuteMs),
  },
  {
    name: 'in the night that began yesterday',
    guardrail: { windows: [window('22:00', '10:01', { days: [3] })] },
    answer: yes,
  },
  {
    name: 'in a zone',
    guardrail: { windows: [window('11:00', '11:01', { timezone: 'Europe/Berlin' })] },
    answer: yes,
  },

  { name: 'a tag that protects', grounds: { tags: { 'do-not-delete': '' } }, answer: protectedBy('do-not-delete') },
  {
    name: 'a tag that protects, in another case',
    grounds: { tags: { 'Tidemark-PROTECT': 'yes' } },
    answer: protectedBy('Tidemark-PROTECT'),
  },
  { name: 'a tag that says false', grounds: { tags: { 'tidemark-protect': 'False' } }, answer: yes },
  {
    name: 'a tag that says false in one spelling, and no more than that in another',
    grounds: { tags: { 'tidemark-protect': 'false', 'Tidemark-Protect': '0' } },
    answer: protectedBy('Tidemark-Protect'),
  },
  {
    name: 'a tag of the organization’s own instead',
    guardrail: { protectedTags: ['Keep'] },
    grounds: { tags: { 'tidemark-protect': 'true', keep: '1' } },
    answer: protectedBy('keep'),
  },
  {
    name: 'a protected resource that is started',
    grounds: { tags: { 'do-not-delete': 'true' } },
    asked: start,
    answer: yes,
  },
  {
    name: 'one approval in an environment that needs two',
    guardrail: { protectedEnvs: ['prod'] },
    grounds: { environment: 'prod' },
    answer: no('needs_two_approvals', 'Changes in the environment prod need 2 approvals; this one has 1.'),
  },
  {
    name: 'two approvals there',
    guardrail: { protectedEnvs: ['prod'] },
    grounds: { environment: 'prod' },
    asked: { approvals: 2 },
    answer: yes,
  },
  { name: 'another environment', guardrail: { protectedEnvs: ['prod'] }, grounds: { environment: 'dev' }, answer: yes },
  {
    name: 'a start there',
    guardrail: { protectedEnvs: ['prod'] },
    grounds: { environment: 'prod' },
    asked: start,
    answer: yes,
  },

  {
    name: 'another job at the resource',
    grants: [grant(1, hourMs, { resourceUid: 'i-1', isLive: true })],
    answer: busy,
  },
  {
    name: 'another job that starts the resource, by another account',
    grants: [grant(1, hourMs, { resourceUid: 'i-1', isLive: true, template: 'start', cloudAccountId: 'acct-2' })],
    asked: start,
    answer: busy,
  },
  { name: 'another job that has left it', grants: [grant(1, hourMs, { resourceUid: 'i-1' })], answer: yes },
  {
    name: 'another job that cannot still be at it',
    grants: [grant(1, 35 * dayMs + 1, { resourceUid: 'i-1', isLive: true })],
    answer: yes,
  },
  {
    name: 'another job that may still be at it',
    grants: [grant(1, 35 * dayMs, { resourceUid: 'i-1', isLive: true })],
    answer: busy,
  },
  { name: 'one less at a time than allowed', grants: grants(4, 2 * hourMs, { isLive: true }), answer: yes },
  {
    name: 'as many at a time as allowed, starts among them',
    grants: grants(5, 2 * hourMs, { isLive: true, template: 'start' }),
    asked: start,
    answer: later('concurrent', 'The limit of 5 concurrent workflows is reached.', 30 * secondMs),
  },

  { name: 'one less than the changes of an hour', grants: grants(19, minuteMs), answer: yes },
  { name: 'the changes of an hour', grants: grants(20, minuteMs), answer: hourly(20, 59 * minuteMs) },
  { name: 'the changes of an hour, one just out of it', grants: [grant(30, hourMs), ...grants(19, 0)], answer: yes },
  {
    name: 'the changes of an hour, one still in it',
    grants: [grant(30, hourMs - 1), ...grants(19, 0)],
    answer: hourly(20, 1),
  },
  { name: 'a start beside them', grants: grants(20, minuteMs), asked: start, answer: yes },
  { name: 'starts do not count', grants: grants(200, minuteMs, { template: 'start' }), answer: yes },
  {
    name: 'what people and schedules do counts',
    grants: [grant(30, minuteMs, { template: 'manual' }), grant(31, minuteMs, { template: 'schedule' })],
    guardrail: { destructivePerHour: 2 },
    asked: { template: 'manual' },
    answer: hourly(2, 59 * minuteMs),
  },
  {
    name: 'one less than the changes of a day',
    grants: grants(99, 2 * hourMs, { costUsd: 0 }),
    answer: yes,
  },
  { name: 'the changes of a day', grants: grants(100, 2 * hourMs), answer: daily(100, hourMs) },
  {
    name: 'the changes of a day, one about to leave it',
    grants: [grant(200, dayMs - minuteMs), ...grants(99, 2 * hourMs)],
    answer: daily(100, minuteMs),
  },
  {
    name: 'the changes of a day, one just out of it',
    grants: [grant(200, dayMs), ...grants(99, 2 * hourMs)],
    answer: yes,
  },
  {
    name: 'more changes a day than are kept',
    guardrail: { destructivePerDay: 100_000, destructivePerHour: 10_000 },
    grants: grants(countedMax, 23.5 * hourMs),
    answer: daily(countedMax, 30 * minuteMs),
  },

  {
    name: 'the cost of a month, to the cent',
    guardrail: { monthlyCostTouchedUsd: 200.3 },
    grants: [
      grant(1, 29 * dayMs, { costUsd: 100.1 }),
      grant(2, dayMs, { costUsd: 0.1 }),
      grant(3, dayMs, { costUsd: 0.1 }),
    ],
    answer: yes,
  },
  {
    name: 'the cost of a month, a cent more',
    guardrail: { monthlyCostTouchedUsd: 200.29 },
    grants: [
      grant(1, 29 * dayMs, { costUsd: 100.1 }),
      grant(2, dayMs, { costUsd: 0.1 }),
      grant(3, dayMs, { costUsd: 0.1 }),
    ],
    answer: dear('100.00', '100.30', '200.29', hourMs),
  },
  {
    name: 'the cost of a month, of which some leaves it soon',
    guardrail: { monthlyCostTouchedUsd: 149 },
    grants: [grant(1, 30 * dayMs - minuteMs)],
    answer: dear('100.00', '50.00', '149.00', minuteMs),
  },
  {
    name: 'the cost of a month, of which some has left it',
    guardrail: { monthlyCostTouchedUsd: 149 },
    grants: [grant(1, 30 * dayMs)],
    answer: yes,
  },
  {
    name: 'a resource that costs more than all may',
    guardrail: { monthlyCostTouchedUsd: 99 },
    answer: dear('100.00', '0.00', '99.00', hourMs),
  },
  { name: 'a start of it', guardrail: { monthlyCostTouchedUsd: 0 }, asked: start, answer: yes },
  {
    name: 'a resource that costs nothing where nothing may',
    guardrail: { monthlyCostTouchedUsd: 0 },
    asked: { costUsd: 0 },
    answer: yes,
  },
  {
    name: 'a month with more changes than are kept',
    guardrail: { monthlyCostTouchedUsd: 1_000_000 },
    grants: grants(countedMax, 29 * dayMs),
    answer: later(
      'limit_cost',
      'The limit of 4000 changes in 30 days is reached. The cost limit cannot be checked for more.',
      hourMs,
    ),
  },

  { name: 'one of a group of three', grounds: shop(3), answer: yes },
  {
    name: 'a second of a group of seven',
    grounds: shop(7),
    grants: grants(1, hourMs, ofShop),
    answer: shared(1, 7, 25, 1, hourMs),
  },
  { name: 'a second of a group of eight', grounds: shop(8), grants: grants(1, hourMs, ofShop), answer: yes },
  {
    name: 'a third of a group of eight',
    grounds: shop(8),
    grants: grants(2, hourMs, ofShop),
    answer: shared(2, 8, 25, 2, hourMs),
  },
  {
    name: 'a third of which one was changed a day ago',
    grounds: shop(8),
    grants: [grant(1, dayMs, ofShop), grant(2, hourMs, ofShop)],
    answer: yes,
  },
  {
    name: 'a third of which one is about to have been changed a day ago',
    grounds: shop(8),
    grants: [grant(1, dayMs - minuteMs, ofShop), grant(2, hourMs, ofShop)],
    answer: shared(2, 8, 25, 2, minuteMs),
  },
  {
    name: 'the same one of the group again',
    grounds: shop(3),
    grants: [grant(1, 2 * hourMs, { ...ofShop, resourceUid: 'i-1' })],
    answer: yes,
  },
  {
    name: 'one of the group that was changed twice',
    grounds: shop(8),
    grants: [1, 2].map((hours) => grant(hours, hours * hourMs, { ...ofShop, resourceUid: 'r-1' })).toReversed(),
    answer: yes,
  },
  {
    name: 'those that were started',
    grounds: shop(3),
    grants: grants(3, hourMs, { ...ofShop, template: 'start' }),
    answer: yes,
  },
  {
    name: 'a start of one of the group',
    grounds: shop(3),
    grants: grants(3, hourMs, ofShop),
    asked: start,
    answer: yes,
  },
  {
    name: 'all of a group that may be changed as a whole',
    guardrail: { groupSharePercent: 100 },
    grounds: shop(4),
    grants: grants(3, hourMs, ofShop),
    answer: yes,
  },
  {
    name: 'a second group whose share is reached',
    grounds: { groups: [{ id: 'g-2', name: 'All', size: 40 }, ...shop(4).groups] },
    grants: grants(1, hourMs, { groups: ['g-1', 'g-2'] }),
    answer: shared(1, 4, 25, 1, hourMs),
  },
]

const answerTo = (row: Row) =>
  decide(asked(row.asked), row.grants ?? [], grounds(row.guardrail, row.grounds), new Date(now))

describe('the guard of workflows', () => {
  for (const row of rows)
    it(`answers ${(row.answer as { code?: string }).code ?? 'yes'}: ${row.name}`, () => {
      const { answer, grants: kept } = answerTo(row)
      expect(answer).to.deep.equal(row.answer)
      expect(kept.some(({ jobId }) => jobId === 'j-1')).to.equal(answer!.answer === 'yes')
      expect(() => decoder(guardAnswered.schema)({ cloudAccountId: 'a', jobId: 'j', n: 1, ...answer })).to.not.throw()
    })
})
