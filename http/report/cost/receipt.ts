/** Receipts: the lines of bills that make up a figure of a report, to the last digit. */
import { Readable } from 'node:stream'
import { clustersOf } from '#actors/kubernetes/queries.ts'
import { daySorts, granularities } from '#analytics/cost/questions.ts'
import {
  receiptFigure,
  receiptLines,
  receiptParts,
  receiptPartsTotal,
  receiptTags,
  receiptTotal,
  tagOrigins,
} from '#analytics/report/questions.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { csvRecord, inPieces, tooLarge, type Cell } from '#http/edge/csv.ts'
import { orNull, Timestamp } from '#http/edge/parameter/field.ts'
import { list, toPage, pageOf, paging, slice } from '#http/edge/parameter/paging.ts'
import { daysOf, range } from '#http/edge/parameter/range.ts'
import { everyFilter, labelsOf } from '#http/report/filter/dimension.ts'
import { costQuestion, filterQuestion, narrowing, whichCost } from '#http/report/filter/filter.ts'
import { topMax } from './series.ts'
import { attachment, type Route } from '#http/edge/route.ts'
import { report } from '#http/report/report.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import type { Services } from '#http/edge/services.ts'
import { costProviderOf, serviceProviderOf } from '#streams/names.ts'

/** Lines of one file. */
const linesMax = 1_000_000

const cutting = { description: 'of the report; does not change the lines' }

/** What only cuts the figures of a report, or orders them. */
const cuts = {
  granularity: t.Optional(t.Enum(granularities, cutting)),
  group_by: t.Optional(list(t.String({ maxLength: 516 }), { ...cutting, formerly: 'dims' })),
  sort_by: t.Optional(t.Enum(daySorts, cutting)),
  sort_order: t.Optional(t.Enum(['asc', 'desc'], cutting)),
  unit: t.Optional(t.Enum(['keys', 'pairs'], cutting)),
  top: t.Optional(t.Integer({ minimum: 1, maximum: topMax, ...cutting })),
}

const Query = t.Object({
  ...range,
  period: t.Optional(t.String({ description: 'YYYY-MM, instead of from and to', examples: ['2026-01'] })),
  ...narrowing,
  ...whichCost,
  ...everyFilter,
  untagged: t.Boolean({ default: false, description: 'only untagged costs, including costs without a resource' }),
  resource_group_id: t.Optional(t.String({ minLength: 1, description: 'only current members of the group' })),
  format: t.Enum(['json', 'csv'], {
    default: 'json',
    description: `csv: all lines as one file, at most ${linesMax}, without paging`,
  }),
  ...paging(100, 1000),
  ...cuts,
})
type Query = Static<typeof Query>

const amount = (description: string) => t.String({ description: `${description}, US dollars, exact decimal string` })

const Line = t.Object(
  {
    lineId: t.String(),
    date: t.String(),
    cloudAccountId: t.String({ description: 'usage account: the connected account of the line' }),
    billingAccountId: t.String({ description: 'the account whose bill has the line' }),
    subAccountId: t.String({
      description: 'as in the bill: linked account, project or subscription; empty if it has none',
    }),
    subAccountName: t.String(),
    provider: t.String(),
    serviceProvider: t.String({ description: 'provider name in the bill' }),
    serviceName: t.String(),
    region: t.String(),
    resourceUid: t.String({ description: 'empty if the line has no resource' }),
    resourceType: t.String({ description: 'from the line, otherwise from the inventory' }),
    purchaseType: t.String(),
    chargeCategory: t.String(),
    description: t.String(),
    quantity: orNull(t.String({ description: 'consumed quantity, otherwise pricing quantity; exact decimal string' })),
    unit: t.String(),
    invoiceId: t.String(),
    source: t.Enum(['estimate', 'actual']),
    exportedAt: Timestamp,
    exportId: t.String({ description: 'the export of the line; empty for a line sent without an export' }),
    costUSD: amount('contribution of the line to the figure'),
    share: t.Optional(
      t.String({
        description:
          'for a cost that a rule distributes to teams: the share of the line included in the figure, 0 to 1',
      }),
    ),
    lineCostUSD: t.Optional(amount('for such a line: its full cost')),
    billingCurrency: t.Optional(t.String({ description: 'if the bill is in a currency other than US dollars' })),
    usdRate: t.Optional(t.String({ description: 'US dollars per unit, exact decimal string with 12 decimal places' })),
    usdRateFrom: t.Optional(
      t.Enum(['bill', 'given'], {
        description:
          'bill: the bill contains its costs in dollars, or the rate; given: the sender of the bill gave the rate',
      }),
    ),
    otherColumns: t.Optional(
      t.Record(t.String(), t.String(), {
        description: 'columns of the bill that its format does not have, and all that begin with x_, by name',
      }),
    ),
    tags: t.Array(
      t.Object({
        key: t.String(),
        value: t.String(),
        origin: t.Enum(tagOrigins, {
          description:
            'cloud: from the resource in the inventory; smart, auto: accepted suggestions; bill: from the line itself if it has no resource, or from the newest bill of a resource that was never in the inventory',
        }),
      }),
      { description: 'tags under which reports count the line, by key' },
    ),
  },
  {
    title: 'ReceiptLine',
    examples: [
      {
        lineId: 'line-000042',
        date: '2026-01-15',
        cloudAccountId: 'acct-1',
        billingAccountId: 'payer',
        subAccountId: '111111111111',
        subAccountName: 'Production',
        provider: 'aws',
        serviceProvider: 'AWS',
        serviceName: 'Amazon Elastic Compute Cloud',
        region: 'us-east-1',
        resourceUid: 'i-0a1b2c3d4e5f60718',
        resourceType: 'aws-ec2',
        purchaseType: 'on_demand',
        chargeCategory: 'Usage',
        description: 'USD 0.096 per On Demand Linux m5.large Instance Hour',
        quantity: '24',
        unit: 'Hrs',
        invoiceId: '1234567890',
        source: 'actual',
        exportedAt: '2026-01-16T04:00:00.000Z',
        exportId: 'cur-2026-01',
        costUSD: '2.304',
        otherColumns: { x_CostCenter: '4711' },
        tags: [{ key: 'env', value: 'prod', origin: 'cloud' }],
      },
    ],
  },
)

/** The columns of a receipt as a file, in the order of the question's. */
export const receiptColumns = [
  'line_id',
  'date',
  'cloud_account_id',
  'provider',
  'service_name',
  'region',
  'resource_uid',
  'resource_type',
  'purchase_type',
  'charge_category',
  'description',
  'quantity',
  'unit',
  'invoice_id',
  'source',
  'exported_at',
  'export_id',
  'cost_usd',
  'share',
  'line_cost_usd',
  'own_tags',
  'billing_account_id',
  'sub_account_id',
  'sub_account_name',
  'billing_currency',
  'usd_rate',
  'usd_rate_source',
  'other_columns',
] as const

export const receipts: readonly Route[] = [
  report({
    path: '/reports/receipt',
    summary: 'Get the receipt of a figure: the bill lines it consists of',
    description:
      'Use the parameters of the report with the figure, and filter[dimension]=value for its node, row or point. The costs ' +
      'of the lines add up to the figure exactly: of a line that a rule distributes, or whose machine is shared by workloads ' +
      'of other teams, tags or namespaces, only the share in the figure is included.',
    query: Query,
    reply: t.Object({
      ...pageOf(Line).properties,
      totalUSD: { ...amount('the figure'), examples: ['2.304'] },
      linesDropped: t.Optional(
        t.Literal(true, {
          description:
            'some lines of the figure are no longer stored, because asOf is too long ago, or because of linesKeptFrom; the remaining ones are shown',
        }),
      ),
      linesKeptFrom: t.Optional(
        t.String({
          description:
            'first day whose lines are stored, if the figure begins earlier (COST_LINES_KEEP). Figures of clusters and namespaces then contain only the lines that are left',
          examples: ['2025-02-01'],
        }),
      ),
    }),
    handle: async ({ caller, query }, services) => {
      const question = questionOf(caller, query, services)
      const isFile = query.format === 'csv'
      const [ofTotal, ofLines] = (await isDivided(question, caller, services))
        ? ([receiptPartsTotal, receiptParts] as const)
        : ([receiptTotal, receiptLines] as const)
      const linesFrom = await services.keptFrom('cost-lines')
      const isCut = linesFrom !== undefined && question.from < linesFrom
      const isOfSums = question.as_of !== '' || (isCut && ofTotal === receiptTotal)
      const [[sum], [figure], rows] = await Promise.all([
        services.analytics(ofTotal, question),
        isOfSums ? services.analytics(receiptFigure, question) : [],
        isFile ? [] : services.analytics(ofLines, { ...question, ...slice(query) }),
      ])
      const total = sum?.all_lines ?? 0
      if (!isFile) {
        const tagsOf = await findTags(rows, services)
        const items = rows.map((row) => ({ ...show(row), tags: tagsOf(row) }))
        const cut = isCut && { linesDropped: true as const, linesKeptFrom: linesFrom }
        return { ...toPage({ items, total }, query), ...figureOf(sum, figure), ...cut }
      }
      if (total > linesMax) throw tooLarge(linesMax)
      return fileOf(services.stream(ofLines, { ...question, limit: linesMax, offset: 0 }))
    },
  }),
]

function questionOf(caller: Caller, query: Query, services: Services) {
  const group = query.resource_group_id ?? ''
  const question = filterQuestion(costQuestion(caller, query, daysOf(query, services.now()), services), query)
  const { invoices: invoice_ids, ...tags } = labelsOf([], query, { in: 'query', name: 'filter' }).question
  return { ...question, ...tags, invoice_ids, untagged: Number(query.untagged), group }
}

/** Whether it asks what is another of a part of a cluster than of the machine, of now. */
async function isDivided(question: ReturnType<typeof questionOf>, { orgId }: Caller, services: Services) {
  const { teams, scope_teams, tag_keys, dim_tags, untagged, clusters, namespaces, where_dims, as_of } = question
  if (as_of !== '') return false
  const conditions = (...dims: string[]) => where_dims.filter((dim) => dims.includes(dim)).length
  if (clusters.length + namespaces.length + conditions('cluster', 'namespace') > 0) return true
  const isOfTeams = teams.length + scope_teams.length + conditions('team_id') > 0
  const isOfParts = isOfTeams || tag_keys.length + dim_tags.length + untagged > 0
  return isOfParts && (await clustersOf(services.em, orgId)).length > 0
}

type Sum = Static<(typeof receiptTotal)['row']> | undefined

/** A figure of sums stays what it was, even if some of its lines are no longer stored. */
function figureOf(lines: Sum, figure: Sum) {
  if (!figure) return { totalUSD: lines?.cost_usd ?? '0' }
  const isWhole = figure.all_lines === lines?.all_lines && figure.cost_usd === lines.cost_usd
  return { totalUSD: figure.cost_usd, ...(!isWhole && { linesDropped: true as const }) }
}

function fileOf(rows: AsyncIterable<readonly unknown[]>) {
  async function* texts() {
    yield csvRecord(receiptColumns)
    for await (const row of rows) yield csvRecord(row as Cell[])
  }
  return attachment(Readable.from(inPieces(texts())), { name: 'receipt.csv', media: 'text/csv' })
}

type Row = Static<(typeof receiptLines)['row']>
type LineTag = Static<typeof Line>['tags'][number]

/** What tells the tags of a line of the page: those of its resource, else its own. */
async function findTags(rows: readonly Row[], { analytics }: Services): Promise<(row: Row) => LineTag[]> {
  const ofResources = rows.filter((row) => row.resource_uid !== '')
  const accounts = [...new Set(ofResources.map((row) => row.cloud_account_id))].toSorted()
  const uids = [...new Set(ofResources.map((row) => row.resource_uid))].toSorted()
  const found = uids.length === 0 ? [] : await analytics(receiptTags, { accounts, uids })
  const idOf = (row: { cloud_account_id: string; resource_uid: string }) =>
    JSON.stringify([row.cloud_account_id, row.resource_uid])
  const byResource = new Map(found.map((row) => [idOf(row), toLineTags(row.tags, (key) => row.origins[key]!)]))
  return (row) =>
    row.own_tags === ''
      ? (byResource.get(idOf(row)) ?? [])
      : toLineTags(JSON.parse(row.own_tags) as Record<string, string>, () => 'bill')
}

const toLineTags = (tags: Readonly<Record<string, string>>, originOf: (key: string) => LineTag['origin']): LineTag[] =>
  Object.entries(tags)
    .map(([key, value]) => ({ key, value, origin: originOf(key) }))
    .toSorted((a, b) => (a.key < b.key ? -1 : 1))

const show = (row: Row): Omit<Static<typeof Line>, 'tags'> => ({
  lineId: row.line_id,
  date: row.day,
  cloudAccountId: row.cloud_account_id,
  billingAccountId: row.billing_account_id,
  subAccountId: row.sub_account_id,
  subAccountName: row.sub_account_name,
  provider: costProviderOf(row.provider),
  serviceProvider: serviceProviderOf(row.provider),
  serviceName: row.service_name,
  region: row.region,
  resourceUid: row.resource_uid,
  resourceType: row.resource_type,
  purchaseType: row.purchase_type,
  chargeCategory: row.charge_category,
  description: row.description,
  quantity: row.quantity,
  unit: row.unit,
  invoiceId: row.invoice_id,
  source: row.source === 'estimate' ? 'estimate' : 'actual',
  exportedAt: row.exported_at,
  exportId: row.export_id,
  costUSD: row.cost_usd,
  ...(row.billing_currency !== 'USD' && {
    billingCurrency: row.billing_currency,
    usdRate: row.usd_rate,
    usdRateFrom: row.usd_rate_source === 'bill' ? ('bill' as const) : ('given' as const),
  }),
  ...(row.other_columns && { otherColumns: JSON.parse(row.other_columns) as Record<string, string> }),
  ...(row.share && { share: row.share, lineCostUSD: row.line_cost_usd }),
})
