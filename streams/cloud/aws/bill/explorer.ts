/**
 * The bill of an account without an export, from Cost Explorer by service and day. AWS charges one US cent per page.
 */
import type { Group, ResultByTime } from '@aws-sdk/client-cost-explorer'
import { addDays } from '#engine/value/day.ts'
import { toUnits } from '#engine/value/decimal.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import type { CloudAccount } from '#streams/cloud/connector.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

/**
 * Yields the lines of each day. Nothing for days before AWS has data. Costs that the account pays for other accounts
 * are left out.
 */
export async function* readCostExplorer(session: AwsSession, from: string, to: string): AsyncGenerator<BillingLine[]> {
  const order = {
    TimePeriod: { Start: from, End: addDays(to, 1) },
    Granularity: 'DAILY' as const,
    Metrics: ['UnblendedCost', 'AmortizedCost'],
    GroupBy: [{ Type: 'DIMENSION' as const, Key: 'SERVICE' }],
    Filter: { Dimensions: { Key: 'LINKED_ACCOUNT' as const, Values: [session.account.externalId] } },
  }
  const pages = session.pages(
    'cost-explorer',
    globalRegion,
    (m, NextPageToken) => new m.GetCostAndUsageCommand({ ...order, ...(NextPageToken && { NextPageToken }) }),
    ({ NextPageToken }) => NextPageToken,
  )
  try {
    for await (const { ResultsByTime = [] } of pages)
      for (const result of ResultsByTime) {
        const lines = linesOf(session, result)
        if (lines.length > 0) yield lines
      }
  } catch (error) {
    if (!isWord(error, /^DataUnavailableException$/)) throw error
  }
}

/** A service without costs has no line. */
function linesOf({ account }: AwsSession, { TimePeriod, Estimated, Groups = [] }: ResultByTime): BillingLine[] {
  const day = TimePeriod?.Start?.slice(0, 10)
  if (day === undefined) return []
  const source = Estimated ? 'estimate' : 'actual'
  return Groups.flatMap((group) => {
    const { billed, amortized } = costsOf(group)
    if (isNothing(billed) && isNothing(amortized)) return []
    return { ...lineOf(account, day, group), source, BilledCost: billed, EffectiveCost: amortized }
  })
}

function costsOf({ Metrics = {} }: Group): { billed: string; amortized: string } {
  const billed = Metrics['UnblendedCost']?.Amount ?? '0'
  return { billed, amortized: Metrics['AmortizedCost']?.Amount ?? billed }
}

/** The id is derived from day and service, so a repeat restates the line. */
function lineOf({ id, externalId }: CloudAccount, day: string, { Keys = [], Metrics = {} }: Group): BillingLine {
  const service = Keys[0] || 'Unknown'
  return {
    lineId: `${day}/cost-explorer/${service}`.slice(0, 512),
    cloudAccountId: id,
    provider: 'aws',
    ServiceName: service,
    ServiceProviderName: 'AWS',
    HostProviderName: 'AWS',
    SubAccountId: externalId,
    BillingCurrency: Metrics['UnblendedCost']?.Unit ?? 'USD',
    ChargeCategory: service === 'Tax' ? 'Tax' : 'Usage',
    ChargeDescription: `${service}, by Cost Explorer`,
    ChargePeriodStart: `${day}T00:00:00Z`,
    ChargePeriodEnd: `${addDays(day, 1)}T00:00:00Z`,
  }
}

const isNothing = (amount: string): boolean => (toUnits(amount, 14) ?? 0n) === 0n
