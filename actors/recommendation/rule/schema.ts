/** The shape of one rule in its file. Conditions and expressions nest: `check.ts` walks them. */
import { t } from '#engine/value/schema.ts'
import { actionTypes, categories, effects, severities } from '#streams/recommendation.ts'

const exact = { additionalProperties: false } as const
const text = t.String()
const nonEmptyText = t.String({ minLength: 1 })
const paths = t.Array(nonEmptyText)
const anyValue = t.Unknown()

const Target = t.Union([
  t.Object({ kind: t.Enum(['none', 'delete', 'stop']) }, exact),
  t.Object({ kind: t.Literal('set'), spec: t.Record(nonEmptyText, anyValue, { minProperties: 1 }) }, exact),
  t.Object(
    {
      kind: t.Literal('fit'),
      catalogue: nonEmptyText,
      keep: t.Array(
        t.Enum([
          'arch',
          'burst',
          'generation',
          'family',
          'engine',
          'edition',
          'tier',
          'fs_type',
          'gpu_class',
          'disk_support',
        ]),
      ),
      need: t.Record(nonEmptyText, anyValue, { minProperties: 1 }),
      pick: t.Literal('cheapest'),
    },
    exact,
  ),
  t.Object(
    { kind: t.Literal('lookup'), table: nonEmptyText, key: anyValue, column: nonEmptyText, out: nonEmptyText },
    exact,
  ),
  t.Object(
    { kind: t.Literal('schedule'), preset: t.Enum(['business-hours', 'peak-hours', 'weekend-scale-down']) },
    exact,
  ),
  t.Object(
    {
      kind: t.Literal('commitment'),
      product: nonEmptyText,
      term: nonEmptyText,
      payment: nonEmptyText,
      amount: anyValue,
    },
    exact,
  ),
  t.Object({ kind: t.Literal('tags'), keys: anyValue }, exact),
])

const Saving = t.Union([
  t.Object({ kind: t.Literal('none') }, exact),
  t.Object({ kind: t.Literal('full'), keep: t.Optional(paths) }, exact),
  t.Object({ kind: t.Literal('fraction'), of: anyValue, value: anyValue, assumed: t.Optional(t.Literal(true)) }, exact),
  t.Object(
    {
      kind: t.Literal('price_delta'),
      per: t.Enum(['hour', 'gb_month']),
      quantity: anyValue,
      fallback: t.Optional(t.Number({ minimum: 0, maximum: 1 })),
      plus: t.Optional(anyValue),
      signed: t.Optional(t.Literal(true)),
    },
    exact,
  ),
  t.Object({ kind: t.Literal('excess'), have: anyValue, need: anyValue, of: anyValue }, exact),
  t.Object({ kind: t.Literal('quantity'), quantity: anyValue, price: nonEmptyText }, exact),
  t.Object({ kind: t.Literal('off_hours'), stoppable: paths, hoursOn: anyValue }, exact),
  t.Object({ kind: t.Literal('commitment'), base: anyValue, product: nonEmptyText }, exact),
])

const ofRisk = ['security', 'compliance', 'governance', 'reliability', 'performance']

export const RuleShape = t.Object(
  {
    id: t.String({ pattern: '^RC-(?:[1-3]\\d{3}|ASC-\\d{3})$' }),
    provider: t.Enum(['aws', 'gcp', 'azure', 'any']),
    category: t.Enum(categories),
    wave: t.Integer({ minimum: 1, maximum: 3 }),
    name: nonEmptyText,
    title: nonEmptyText,
    from: text,
    to: text,
    description: nonEmptyText,
    remediation: nonEmptyText,
    applies: t.Object(
      {
        types: t.Array(nonEmptyText, { minItems: 1 }),
        status: t.Optional(t.Array(t.Enum(['running', 'stopped', 'starting', 'stopping', 'pending']), { minItems: 1 })),
        minAgeDays: t.Number({ minimum: 0 }),
        managed: t.Enum(['exclude', 'include']),
        forDays: t.Optional(t.Union([t.Number({ minimum: 0 }), t.String({ pattern: '^\\$' })])),
      },
      exact,
    ),
    params: t.Record(t.String({ pattern: '^[a-z][a-z0-9_]*$' }), t.Union([t.Number(), text])),
    let: t.Optional(t.Record(t.String({ pattern: '^[a-z][a-z0-9_]*$' }), anyValue)),
    when: anyValue,
    target: Target,
    saving: Saving,
    severity: t.Union([
      t.Object({ mode: t.Literal('cost'), finding: t.Literal('cost') }, exact),
      t.Object({ mode: t.Literal('risk'), level: t.Enum(severities), finding: t.Enum(ofRisk) }, exact),
    ]),
    confidence: t.Enum(['high', 'medium', 'low']),
    action: t.Object(
      {
        type: t.Enum(actionTypes),
        effect: t.Enum(effects),
        destructive: t.Boolean(),
        automation: t.Enum(['executor', 'pause_service', 'api', 'manual']),
        api: text,
      },
      exact,
    ),
    exclusive: t.Optional(t.Object({ group: nonEmptyText, rank: t.Integer() }, exact)),
    alternativeTo: t.Optional(nonEmptyText),
    evidence: paths,
    evaluateOn: t.Array(t.Enum(['discovered', 'daily']), { minItems: 1 }),
    sources: t.Array(nonEmptyText),
  },
  exact,
)
