/** Bill formats: how a file's format is detected, and how its rows become bill lines. */
import { Fault } from '#engine/value/fault.ts'
import { awsMeasured, readAwsCur, surveyNet } from '#streams/billing/format/aws/cur.ts'
import { azureCaseless, azureMeasured, readAzureExport } from './azure-export.ts'
import { foldName, type Columns } from './columns.ts'
import type { Delimiter } from '#streams/billing/file/csv/text.ts'
import type { LineDraft, MeasureReader, RowTools } from './draft.ts'
import { focusMeasured, focusNulls, readFocus } from './focus.ts'
import { surveyCommitments } from '#streams/billing/format/gcp/commitment.ts'
import { readGcpExport } from '#streams/billing/format/gcp/export.ts'
import { isOfAws, isOfAzure, isOfFocus, isOfGcp } from './known-column.ts'
import type { Fields } from '#streams/billing/file/source.ts'
import type { Survey } from '#streams/billing/row/survey.ts'

export const formatNames = ['focus', 'aws-cur', 'azure-export', 'gcp-export'] as const
export type FormatName = (typeof formatNames)[number]

/** How files of one bill format are recognized, and how a row becomes a line. */
export interface Format {
  name: FormatName
  /** The file must have one column of each group, in any spelling. */
  needs: readonly (readonly string[])[]
  /** Whether the format has a column of this name; for nested columns the outermost name. */
  knows: (name: string) => boolean
  deep?: boolean
  nulls?: ReadonlySet<string>
  /** Folded columns that are not case-sensitive. */
  caseless?: ReadonlySet<string>
  /** Folded columns of the day of a charge, and of the first and last day of its billing period. */
  dates: readonly [readonly string[], readonly string[], readonly string[]]
  /** Folded columns that only the whole bill explains: if a file has one, all its rows are passed to `survey` first. */
  surveyed?: readonly string[]
  survey?: (row: Columns, survey: Survey) => void
  /** The part of `read` that differs from row to row; undefined if every row is read as a whole. */
  measured?: MeasureReader
  /** @throws Fault `invalid`: why the row is refused */
  read: (row: Columns, fields: Fields, tools: RowTools) => LineDraft
}

/** In order of detection. */
const formats: readonly Format[] = [
  {
    name: 'focus',
    needs: [['BilledCost'], ['ChargePeriodStart', 'ChargeCategory', 'EffectiveCost', 'BillingCurrency']],
    knows: isOfFocus,
    nulls: focusNulls,
    dates: [['chargeperiodstart', 'chargeperiodend'], ['billingperiodstart'], ['billingperiodend']],
    measured: focusMeasured,
    read: readFocus,
  },
  {
    name: 'aws-cur',
    needs: [['lineItem/UnblendedCost'], ['lineItem/UsageStartDate', 'lineItem/LineItemType']],
    knows: isOfAws,
    dates: [
      ['lineitemusagestartdate', 'lineitemusageenddate'],
      ['billbillingperiodstartdate'],
      ['billbillingperiodenddate'],
    ],
    surveyed: ['lineitemnetunblendedcost'],
    survey: surveyNet,
    measured: awsMeasured,
    read: readAwsCur,
  },
  {
    name: 'gcp-export',
    needs: [['cost'], ['usage_start_time']],
    knows: isOfGcp,
    deep: true,
    dates: [['usagestarttime', 'usageendtime'], [], []],
    surveyed: ['credits', 'skudescription'],
    survey: (row, { commitments }) => surveyCommitments(row, commitments),
    read: readGcpExport,
  },
  {
    name: 'azure-export',
    needs: [
      ['CostInBillingCurrency', 'PreTaxCost', 'Cost', 'ExtendedCost'],
      ['Date', 'UsageDateTime', 'UsageDate'],
      ['SubscriptionId', 'SubscriptionGuid', 'MeterCategory', 'MeterId', 'ResourceId', 'InstanceId'],
    ],
    knows: isOfAzure,
    caseless: azureCaseless,
    dates: [['date', 'usagedatetime', 'usagedate'], ['billingperiodstartdate'], ['billingperiodenddate']],
    measured: azureMeasured,
    read: readAzureExport,
  },
]

/**
 * The requested format, or with `auto` the one that matches the header.
 * @throws Fault `invalid` `format_unknown`, naming the missing columns; `file_empty`
 */
export function formatOf(asked: FormatName | 'auto', header: readonly string[], delimiter?: Delimiter): Format {
  const named = formats.find(({ name }) => name === asked)
  if (named) return named
  if (header.length === 0) throw Fault.invalid('file_empty', 'The file has no header and no rows.')
  const names = new Set(header.map(foldName))
  const found = formats.find(({ needs }) => needs.every((group) => has(names, group)))
  if (found) return found
  const misses = formats.map(({ name, needs }) => `${name} (${missing(names, needs)})`).join(', ')
  throw Fault.invalid('format_unknown', `${describeHeader(header, delimiter)} Missing: ${misses}.`, {
    header: header.slice(0, 50),
  })
}

const between = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' } as const

function describeHeader(header: readonly string[], delimiter: Delimiter | undefined): string {
  if (delimiter === undefined) return 'The columns do not match a known bill format.'
  if (header.length === 1)
    return 'The first line is not a header: it has no columns separated by commas, semicolons or tabs.'
  return `The columns, separated by ${between[delimiter]}, do not match a known bill format.`
}

const has = (names: ReadonlySet<string>, group: readonly string[]): boolean =>
  group.some((name) => names.has(foldName(name)))

const missing = (names: ReadonlySet<string>, needs: Format['needs']): string =>
  needs
    .filter((group) => !has(names, group))
    .map((group) => (group.length === 1 ? group[0] : `one of ${group.join(', ')}`))
    .join('; ')
