import { committedCosts } from '#analytics/commitment/questions.ts'
import { dayOf } from '#engine/value/day.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { orNull } from '#http/edge/parameter/field.ts'
import { range, rangeOf } from '#http/edge/parameter/range.ts'
import { aboutCommitments, unknown, type CommitmentInfo } from './commitment-info.ts'
import { expirySources } from './expiry.ts'
import {
  commitmentStatuses,
  daysLeft,
  figuresOf,
  hasEnded,
  isExpiring,
  shownCoverage,
  shownUse,
  statusOf,
  type CommittedRow,
} from './figure.ts'
import { unbilledCommitments, UnbilledCommitment, unbilledExample } from './unbilled.ts'
import { costQuestion, narrowing, orNone, whichCost } from '#http/report/filter/filter.ts'
import type { Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { costProviderOf } from '#streams/names.ts'

const groups = ['commitment', 'account', 'type'] as const

const Query = t.Object({
  ...range,
  ...narrowing,
  tag: whichCost.tag,
  group_by: t.Enum(groups, { default: 'commitment' }),
})

const amount = (description: string) => t.String({ description: `${description}, US dollars, exact decimal string` })
const ratio = (description: string) => orNull(t.Number({ description: `${description}, 0 to 1` }))
const knownText = (description: string) => orNull(t.String({ description: `${description}; null: not known` }))

const use = {
  committedUSD: amount('used and unused, effective cost'),
  usedUSD: amount('of covered usage, effective cost'),
  unusedUSD: amount('of unused commitments, effective cost'),
  utilization: ratio('used divided by committed; null if nothing is committed'),
  onDemandEquivalentUSD: amount('covered usage at on-demand prices'),
  netSavingsUSD: amount('on-demand cost minus committed cost; may be negative'),
}

const useExample = {
  committedUSD: '310.00',
  usedUSD: '279.00',
  unusedUSD: '31.00',
  utilization: 0.9,
  onDemandEquivalentUSD: '398.57',
  netSavingsUSD: '88.57',
}

const covering = {
  eligibleUSD: amount('usage that commitments cover or could cover, at on-demand prices'),
  coverage: ratio('covered divided by eligible'),
  coveredHours: t.String({ description: 'from lines measured in hours, decimal string' }),
  eligibleHours: t.String({ description: 'the same lines, covered or not' }),
  coverageOfHours: ratio('covered divided by eligible hours'),
}

const countFields = {
  commitments: t.Integer({ description: 'each counted once; in several groups if several use it' }),
  expired: t.Integer({ description: 'of these, expired' }),
  expiringWithin90Days: t.Integer({ description: 'of these, with a known end in the future' }),
  withoutKnownEnd: t.Integer({ description: 'of these' }),
}

const Commitment = t.Object(
  {
    commitmentId: t.String({
      description: '(none) for usage that a bill reports as covered without naming the commitment',
    }),
    name: t.String(),
    type: t.String({ description: 'CommitmentDiscountType as in the bill' }),
    category: t.String({ description: 'Spend or Usage, as in the bill' }),
    provider: t.String(),
    cloudAccountId: knownText('the account it was bought in, otherwise the only account that uses it'),
    usedByAccounts: t.Integer(),
    region: knownText('if it is limited to one'),
    serviceName: knownText('if it covers only one'),
    ...use,
    firstDay: t.String({ description: 'last day in the range on which bills name it' }),
    lastDay: t.String(),
    expiresOn: knownText('its end date'),
    daysLeft: orNull(t.Integer({ description: 'from today; negative: expired' })),
    expiryFrom: orNull(
      t.Enum(expirySources, {
        description:
          'source of the end date; observed: bills no longer name it, and the usage it covered has run on demand since',
      }),
    ),
    status: t.Enum(commitmentStatuses, {
      description:
        'expired: its end has passed; unknown: no end is known, and bills have not named it for more than a week',
    }),
  },
  { title: 'Commitment' },
)
const Group = t.Object(
  { key: t.String({ description: 'an account, or a type' }), ...use, ...covering, ...countFields },
  {
    title: 'CommitmentGroup',
    description: 'coverage of a type is its share of all usage that is covered or could be covered',
  },
)

export const commitments: readonly Route[] = [
  report({
    path: '/reports/commitments',
    summary: 'Report utilization, waste, coverage and ends of reservations, savings plans and committed use discounts',
    description:
      'Always uses effective cost. Sorted by cost, highest first. Group amounts add up to the totals exactly. The end date ' +
      'comes from the inventory, otherwise from bills (the end or the term of the purchase), otherwise it is the last day ' +
      'that bills name the commitment, if the usage it covered has run on demand on three settled days since. It is null if ' +
      'no source reports one. An end date is ignored if later bills still name the commitment.',
    query: Query,
    reply: t.Object({
      groupBy: t.Enum(groups),
      items: t.Array(t.Union([Commitment, Group])),
      totals: t.Object({ ...use, ...covering, ...countFields }),
      unbilled: t.Optional(
        t.Array(UnbilledCommitment, {
          description:
            'only by commitment: those that the inventory has now and bills of these days do not name, earliest end first; ' +
            'in no total. Empty with a filter on types, teams or tags',
        }),
      ),
    }),
    example: {
      groupBy: 'commitment',
      items: [
        {
          commitmentId: 'arn:aws:savingsplans::123456789012:savingsplan/2f1c0b7a',
          name: 'Compute savings plan',
          type: 'Savings Plan',
          category: 'Spend',
          provider: 'aws',
          cloudAccountId: 'acct-1',
          usedByAccounts: 1,
          region: null,
          serviceName: null,
          ...useExample,
          firstDay: '2026-01-01',
          lastDay: '2026-01-31',
          expiresOn: '2026-03-31',
          daysLeft: 59,
          expiryFrom: 'inventory',
          status: 'active',
        },
      ],
      totals: {
        ...useExample,
        eligibleUSD: '797.14',
        coverage: 0.5,
        coveredHours: '2976',
        eligibleHours: '5952',
        coverageOfHours: 0.5,
        commitments: 1,
        expired: 0,
        expiringWithin90Days: 1,
        withoutKnownEnd: 0,
      },
      unbilled: [unbilledExample],
    },
    handle: async ({ caller, query }, services) => {
      const days = rangeOf(query, services.now())
      const question = costQuestion(caller, query, days, services)
      const { rows, told } = await toldOf(question, caller, services)
      const report = { groupBy: query.group_by, items: told[query.group_by](rows), totals: told.together(rows, rows) }
      if (query.group_by !== 'commitment') return report
      const billed = new Set(rows.map(({ commitment_id: id }) => id))
      return { ...report, unbilled: await unbilledCommitments(question, billed, services) }
    },
  }),
]

type Question = ReturnType<typeof costQuestion>

/** What bills say of commitments, and how it is shown. */
async function toldOf(asked: Question, { reportScope }: Caller, services: Services) {
  const { cost: _, saved: _saved, ...question } = asked
  const rows = await services.analytics(committedCosts, question)
  const days = { to: question.to, today: dayOf(services.now()) }
  const about = await aboutCommitments(rows, days, !reportScope.all, services)
  return { rows, told: new CommitmentReport(about, services.now()) }
}

/** Each commitment, the dearest first. */
export async function commitmentsOf(question: Question, caller: Caller, services: Services) {
  const { rows, told } = await toldOf(question, caller, services)
  return told.commitment(rows)
}

/** What is shown of rows, with what is known of their commitments. */
class CommitmentReport {
  private readonly known: ReadonlyMap<string, CommitmentInfo>
  private readonly now: Date

  constructor(about: ReadonlyMap<string, CommitmentInfo>, now: Date) {
    this.known = about
    this.now = now
  }

  private about = ({ commitment_id }: Pick<CommittedRow, 'commitment_id'>): CommitmentInfo =>
    this.known.get(commitment_id) ?? unknown

  commitment(rows: readonly CommittedRow[]) {
    const own = Map.groupBy(dropOnDemand(rows), (row) => row.commitment_id)
    return dearest([...own.values()].map((some) => this.one(some)))
  }

  account(rows: readonly CommittedRow[]) {
    const own = Map.groupBy(rows, (row) => row.cloud_account_id)
    return dearest([...own].map(([key, some]) => ({ key, ...this.together(some, some) })))
  }

  type(rows: readonly CommittedRow[]) {
    const own = Map.groupBy(dropOnDemand(rows), (row) => this.about(row).type)
    return dearest([...own].map(([type, some]) => ({ key: orNone(type), ...this.together(some, rows) })))
  }

  /** `all` hold what could be covered. */
  together(rows: readonly CommittedRow[], all: readonly CommittedRow[]) {
    const figures = figuresOf(rows)
    const ids = new Set(dropOnDemand(rows).flatMap(({ commitment_id: id }) => (id === '' ? [] : [id])))
    const ends = [...ids].map((commitment_id) => this.about({ commitment_id }).expiresOn)
    return {
      ...shownUse(figures),
      ...shownCoverage(figures, rows === all ? figures : figuresOf(all)),
      commitments: ids.size,
      expired: ends.filter((end) => hasEnded(daysLeft(end, this.now))).length,
      expiringWithin90Days: ends.filter((end) => isExpiring(daysLeft(end, this.now))).length,
      withoutKnownEnd: ends.filter((end) => end === null).length,
    }
  }

  private one(rows: readonly CommittedRow[]): Static<typeof Commitment> {
    const { name, type, category, region, namedOn, expiresOn, expiryFrom } = this.about(rows[0]!)
    const used = rows.filter(({ part }) => part === 'used')
    const own = distinct(rows.filter(({ part }) => part === 'unused').map((row) => row.cloud_account_id))
    return {
      commitmentId: orNone(rows[0]!.commitment_id),
      name,
      type,
      category,
      provider: costProviderOf(rows[0]!.provider),
      cloudAccountId: only(own) ?? only(distinct(rows.map((row) => row.cloud_account_id))),
      usedByAccounts: distinct(used.map((row) => row.cloud_account_id)).length,
      region,
      serviceName: only(distinct(used.map((row) => row.shown_service))),
      ...shownUse(figuresOf(rows)),
      firstDay: rows.map((row) => row.first_day).toSorted()[0]!,
      lastDay: rows
        .map((row) => row.last_day)
        .toSorted()
        .at(-1)!,
      expiresOn,
      daysLeft: daysLeft(expiresOn, this.now),
      expiryFrom,
      status: statusOf(daysLeft(expiresOn, this.now), daysLeft(namedOn || null, this.now)),
    }
  }
}

const dropOnDemand = (rows: readonly CommittedRow[]) => rows.filter(({ part }) => part !== 'on_demand')
const distinct = (values: readonly string[]): string[] => [...new Set(values)]
const only = (values: readonly string[]): string | null => (values.length === 1 ? values[0]! : null)

const dearest = <T extends { committedUSD: string; key?: string; commitmentId?: string }>(items: T[]): T[] =>
  items.toSorted(
    (a, b) =>
      Number(b.committedUSD) - Number(a.committedUSD) ||
      Buffer.compare(Buffer.from(a.key ?? a.commitmentId ?? ''), Buffer.from(b.key ?? b.commitmentId ?? '')),
  )
