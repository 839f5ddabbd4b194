/** The shape of one rule in its file. Conditions and expressions nest: `check.ts` walks them. */
import { t } from '#engine/value/schema.ts'
import { actionTypes, categories, effects, severities } from '#streams/recommendation.ts'

const exact = { additionalProperties: false } as const
const text = t.String()
const filled = t.String({ minLength: 1 })
const paths = t.Array(filled)
const nested = t.Unknown()

const Target = t.Union([
  t.Object({ kind: t.Enum(['none', 'delete', 'stop']) }, exact),
  t.Object({ kind: t.Literal('set'), spec: t.Record(filled, nested, { minProperties: 1 }) }, exact),
  t.Object(
    {
      kind: t.Literal('fit'),
      catalogue: filled,
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
      need: t.Record(filled, nested, { minProperties: 1 }),
      pick: t.Literal('cheapest'),
    },
    exact,
  ),
  t.Object({ kind: t.Literal('lookup'), table: filled, key: nested, column: filled, out: filled }, exact),
  t.Object(
    { kind: t.Literal('schedule'), preset: t.Enum(['business-hours', 'peak-hours', 'weekend-scale-down']) },
    exact,
  ),
  t.Object({ kind: t.Literal('commitment'), product: filled, term: filled, payment: filled, amount: nested }, exact),
  t.Object({ kind: t.Literal('tags'), keys: nested }, exact),
])

const Saving = t.Union([
  t.Object({ kind: t.Literal('none') }, exact),
  t.Object({ kind: t.Literal('full'), keep: t.Optional(paths) }, exact),
  t.Object({ kind: t.Literal('fraction'), of: nested, value: nested, assumed: t.Optional(t.Literal(true)) }, exact),
  t.Object(
    {
      kind: t.Literal('price_delta'),
      per: t.Enum(['hour', 'gb_month']),
      quantity: nested,
      fallback: t.Optional(t.Number({ minimum: 0, maximum: 1 })),
      plus: t.Optional(nested),
      signed: t.Optional(t.Literal(true)),
    },
    exact,
  ),
  t.Object({ kind: t.Literal('excess'), have: nested, need: nested, of: nested }, exact),
  t.Object({ kind: t.Literal('quantity'), quantity: nested, price: filled }, exact),
  t.Object({ kind: t.Literal('off_hours'), stoppable: paths, hoursOn: nested }, exact),
  t.Object({ kind: t.Literal('commitment'), base: nested, product: filled }, exact),
])

const ofRisk = ['security', 'compliance', 'governance', 'reliability', 'performance']

export const RuleShape = t.Object(
  {
    id: t.String({ pattern: '^RC-(?:[1-3]\\d{3}|ASC-\\d{3})$' }),
    provider: t.Enum(['aws', 'gcp', 'azure', 'any']),
    category: t.Enum(categories),
    wave: t.Integer({ minimum: 1, maximum: 3 }),
    name: filled,
    title: filled,
    from: text,
    to: text,
    description: filled,
    remediation: filled,
    applies: t.Object(
      {
        types: t.Array(filled, { minItems: 1 }),
        status: t.Optional(t.Array(t.Enum(['running', 'stopped', 'starting', 'stopping', 'pending']), { minItems: 1 })),
        minAgeDays: t.Number({ minimum: 0 }),
        managed: t.Enum(['exclude', 'include']),
        forDays: t.Optional(t.Union([t.Number({ minimum: 0 }), t.String({ pattern: '^\\$' })])),
      },
      exact,
    ),
    params: t.Record(t.String({ pattern: '^[a-z][a-z0-9_]*$' }), t.Union([t.Number(), text])),
    let: t.Optional(t.Record(t.String({ pattern: '^[a-z][a-z0-9_]*$' }), nested)),
    when: nested,
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
    exclusive: t.Optional(t.Object({ group: filled, rank: t.Integer() }, exact)),
    alternativeTo: t.Optional(filled),
    evidence: paths,
    evaluateOn: t.Array(t.Enum(['discovered', 'daily']), { minItems: 1 }),
    sources: t.Array(filled),
  },
  exact,
)
