/** Findings of rules about a resource, and decisions of people about them. */
import { t, type Static } from '#engine/value/schema.ts'
import { orgWide, subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { environments } from '#streams/tagging.ts'
import { text } from '#streams/text.ts'

export const categories = ['idle', 'rightsizing', 'schedule', 'orphan', 'compliance', 'discount', 'governance'] as const
export type Category = (typeof categories)[number]

/** Least severe first: the position is the rank. */
export const severities = ['info', 'low', 'medium', 'high', 'critical'] as const
export type Severity = (typeof severities)[number]
export const severityRank = (severity: Severity): number => severities.indexOf(severity)

export const recommendationStatuses = ['open', 'applied', 'dismissed', 'optimised', 'rule_retired'] as const
export type RecommendationStatus = (typeof recommendationStatuses)[number]

export const actionTypes = [
  'stop',
  'pause',
  'schedule',
  'delete',
  'resize',
  'change_type',
  'modify',
  'configure',
  'upgrade',
  'purchase',
  'tag',
  'none',
] as const
export type ActionType = (typeof actionTypes)[number]

/** How disruptive the change is, least first. */
export const effects = ['none', 'online', 'restart', 'outage', 'data_loss', 'irreversible'] as const
export type DisturbanceKind = (typeof effects)[number]

const account = text({ minLength: 1, maxLength: 1024 })
const moment = t.String({ format: 'date-time' })
const usd = t.Number()
const actor = { kind: 'actor', place: (data: { cloudAccountId: string }) => data.cloudAccountId } as const

/**
 * The known facts of a resource, by path of the rule language. A missing path is unknown; null is known to be empty.
 */
export const FactValues = t.Record(t.String(), t.Unknown())
export type FactValues = Record<string, unknown>

/**
 * How completely the metrics of a resource were sampled, by name: days with samples of the last 90, and the usual
 * interval.
 */
export const MetricCoverage = t.Record(
  t.String(),
  t.Object({
    days: t.Integer({ minimum: 0 }),
    stepSeconds: t.Integer({ minimum: 0 }),
    /** Share of sampled intervals, 0 to 1, by window (`14d`). */
    coverage: t.Record(t.String(), t.Number()),
  }),
)
export type MetricCoverage = Static<typeof MetricCoverage>

/**
 * To the audit of one resource: all facts that a sweep has collected in addition to the inventory row. A missing path
 * is now unknown; `at` is the time of the sweep: of two messages the newer counts.
 */
export const factsGathered = subject({
  ...actor,
  name: 'facts.gathered',
  summary: 'Additional facts about a resource: metrics, bill, history, relations.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    runId: text({ maxLength: 256 }),
    at: moment,
    /** metric.*, bill.*, hist.*, rel.*, and those res.* that only a sweep knows. */
    facts: FactValues,
    measured: MetricCoverage,
    /** The inventory row, for an audit that has not received it; ignored if it is older than what the audit knows. */
    found: t.Optional(
      t.Object({
        resource: t.Record(t.String(), t.Unknown()),
        specs: FactValues,
        observedAt: moment,
        firstSeenAt: moment,
        /** The environment accepted by people; empty for none. */
        env: t.Optional(t.Enum([...environments, ''])),
      }),
    ),
    /** The earliest evidence of the resource; left out if there is none. */
    bornAt: t.Optional(moment),
    /** What the organization spent in the last 30 days; null while nothing was billed. */
    orgSpendUsd: t.Union([t.Number(), t.Null()]),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      runId: 'run-1',
      at: '2026-01-15T04:45:00.000Z',
      facts: { 'metric.cpu_percent.p99.14d': 3.2, 'bill.cost_30d': 276.48, 'res.managed': false },
      measured: { cpu_percent: { days: 14, stepSeconds: 3600, coverage: { '14d': 1 } } },
      bornAt: '2024-05-01T00:00:00.000Z',
      orgSpendUsd: 20_000,
    },
  ],
})

/** From the tags of a resource to its audit: the accepted environment has changed; empty for none. */
export const envSettled = subject({
  ...actor,
  name: 'env.settled',
  summary: 'The accepted environment of a resource changed.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    env: t.Enum([...environments, '']),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', env: 'dev' }],
})

/** A sweep has sent all its messages for the account: sent after them, and again after their consequences. */
export const sweepEnded = subject({
  ...actor,
  name: 'sweep.ended',
  summary: 'A sweep has sent all facts about an account.',
  schema: t.Object({ cloudAccountId: account, runId: text({ maxLength: 256 }), isBehindFindings: t.Boolean() }),
  examples: [{ cloudAccountId: 'acct-1', runId: 'run-1', isBehindFindings: false }],
})

/** A finding of a rule about a resource: all fields of the record except its state. */
export const Finding = t.Object({
  resourceUid: ResourceUid,
  resourceName: text(),
  resourceType: text(),
  provider: text(),
  region: text(),
  resourceGroup: text(),
  ruleId: text(),
  category: t.Enum(categories),
  severity: t.Enum(severities),
  title: text(),
  titleFrom: text(),
  titleTo: text(),
  description: text(),
  remediation: text(),
  consoleUrl: text(),
  actionType: t.Enum(actionTypes),
  effect: t.Enum(effects),
  destructive: t.Boolean(),
  automation: t.Enum(['executor', 'pause_service', 'api', 'manual']),
  /** US dollars for 30 days, to the cent; `savingsUsd` excludes what other findings of the resource already save. */
  currentCostUsd: usd,
  savingsUsd: usd,
  grossSavingsUsd: usd,
  /** 0.5, 0.75 or 1 (decision G-65). */
  confidence: t.Number(),
  /** 0 to 100: what to do first has the highest. */
  priority: t.Integer(),
  evidence: t.Record(t.String(), t.Unknown()),
  specs: t.Record(t.String(), t.String()),
  targetSpec: t.Union([t.Record(t.String(), t.Unknown()), t.Null()]),
  /** US dollars per hour: on demand, and committed for one and three years. */
  tierRates: t.Union([t.Record(t.String(), t.Number()), t.Null()]),
  resourceTags: t.Record(t.String(), t.String()),
  /** The rule that is shown instead; empty for none. */
  heldBackBy: text(),
})
export type Finding = Static<typeof Finding>

const finding = {
  cloudAccountId: account,
  recommendationId: text({ maxLength: 64 }),
  /** Counts the audit's messages: of two the larger counts. */
  n: t.Integer({ minimum: 1 }),
}

/** From the audit of a resource to one recommendation: the rule matches, with its current finding. */
export const findingRaised = subject({
  ...actor,
  name: 'finding.raised',
  summary: 'A rule found something, or its finding changed.',
  schema: t.Object({ ...finding, finding: Finding }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      n: 1,
      finding: {
        resourceUid: 'i-1',
        resourceName: 'report-legacy-1',
        resourceType: 'aws-ec2',
        provider: 'aws',
        region: 'us-east-1',
        resourceGroup: '',
        ruleId: 'RC-1001',
        category: 'idle' as const,
        severity: 'high' as const,
        title: 'Stop EC2 instance report-legacy-1: no meaningful CPU or network use in 14 days.',
        titleFrom: 'm5.2xlarge',
        titleTo: '',
        description: 'The processor never rose above 5%.',
        remediation: 'Ask the owner, then stop the instance.',
        consoleUrl: 'https://us-east-1.console.aws.amazon.com/ec2/home?region=us-east-1#InstanceDetails:instanceId=i-1',
        actionType: 'stop' as const,
        effect: 'outage' as const,
        destructive: true,
        automation: 'executor' as const,
        currentCostUsd: 276.48,
        savingsUsd: 276.48,
        grossSavingsUsd: 276.48,
        confidence: 1,
        priority: 60,
        evidence: { metric: 'cpu_percent', windowDays: 14, p95: 2.1 },
        specs: { instanceType: 'm5.2xlarge' },
        targetSpec: null,
        tierRates: null,
        resourceTags: { env: 'prod' },
        heldBackBy: '',
      },
    },
  ],
})

/**
 * Why a finding ended: the rule no longer matches; the resource was deleted; the rule is no longer applied; for 30 days
 * the facts it reads were unknown.
 */
export const findingEnds = ['cleared', 'deleted', 'retired', 'stale'] as const

export const findingEnded = subject({
  ...actor,
  name: 'finding.ended',
  summary: 'A rule no longer finds anything, or is no longer applied.',
  schema: t.Object({ ...finding, why: t.Enum(findingEnds) }),
  examples: [
    { cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01', n: 2, why: 'cleared' },
  ],
})

const recommendationKey = { cloudAccountId: account, recommendationId: text({ minLength: 1, maxLength: 64 }) }

/** Command: a person's decision. Replies with the changed field of the record: `{ status }`. */
export const recommendationDecided = subject({
  ...actor,
  name: 'recommendation.decided',
  summary: 'Apply, dismiss or reopen a recommendation.',
  once: true,
  schema: t.Object({
    ...recommendationKey,
    status: t.Enum(['applied', 'dismissed', 'open']),
    userId: text({ maxLength: 256 }),
    /** If it was applied earlier: since when. */
    appliedAt: t.Optional(moment),
    /** For a dismissal: until when. */
    snoozeUntil: t.Optional(moment),
    note: t.Optional(text({ maxLength: 1000 })),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      status: 'dismissed',
      userId: 'u-1',
      snoozeUntil: '2026-03-01T00:00:00.000Z',
    },
  ],
})

/** Command: a person has opened it. Recorded once per person. */
export const recommendationViewed = subject({
  ...actor,
  name: 'recommendation.viewed',
  summary: 'A person opened a recommendation.',
  schema: t.Object({ ...recommendationKey, userId: text({ minLength: 1, maxLength: 256 }) }),
  examples: [{ cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01', userId: 'u-1' }],
})

/** Reminder: a temporary dismissal has ended. */
export const recommendationWoken = subject({
  ...actor,
  name: 'recommendation.woken',
  summary: 'A dismissed recommendation is due again.',
  schema: t.Object(recommendationKey),
  examples: [{ cloudAccountId: 'acct-1', recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01' }],
})

/**
 * From a recommendation to the audit of its resource: a decision affects which of several exclusive findings is shown.
 */
export const recommendationSettled = subject({
  ...actor,
  name: 'recommendation.settled',
  summary: 'A recommendation was dismissed, applied or reopened.',
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    ruleId: text(),
    status: t.Enum(recommendationStatuses),
    n: t.Integer({ minimum: 1 }),
  }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1', ruleId: 'RC-1001', status: 'dismissed', n: 1 }],
})

/** A policy that affects findings has changed: a sweep follows soon, one for several changes. */
export const sweepWanted = subject({
  kind: 'actor',
  place: () => orgWide,
  name: 'sweep.wanted',
  summary: 'Evaluate all resources of the organization again soon.',
  schema: t.Object({ why: text({ maxLength: 200 }) }),
  examples: [{ why: 'policy' }],
})

/** Reminder: the wait for further changes has ended. */
export const sweepDue = subject({
  kind: 'actor',
  place: () => orgWide,
  name: 'sweep.due',
  summary: 'A sweep requested by changes starts.',
  schema: t.Object({}),
  examples: [{}],
})

export const recommendationMessages = [
  factsGathered,
  envSettled,
  sweepEnded,
  findingRaised,
  findingEnded,
  recommendationDecided,
  recommendationViewed,
  recommendationWoken,
  recommendationSettled,
  sweepWanted,
  sweepDue,
]
