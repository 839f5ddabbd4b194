import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { formatOf } from '#streams/billing/format/format.ts'

describe('the format of a bill', () => {
  it('follows from the header, in every spelling of its names', () => {
    const headers = [
      ['BilledCost', 'ChargePeriodStart'],
      ['billed_cost', 'charge_category'],
      ['identity/LineItemId', 'lineItem/LineItemType', 'lineItem/UnblendedCost'],
      ['line_item_usage_start_date', 'line_item_unblended_cost'],
      ['billing_account_id', 'usage_start_time', 'cost', 'currency'],
      ['SubscriptionGuid', 'UsageDateTime', 'PreTaxCost'],
      ['subscriptionGuid', 'usageDateTime', 'preTaxCost'],
      ['SubscriptionId', 'Date', 'Cost'],
      ['subscriptionId', 'date', 'costInBillingCurrency'],
    ]
    expect(headers.map((header) => formatOf('auto', header).name)).to.deep.equal([
      'focus',
      'focus',
      'aws-cur',
      'aws-cur',
      'gcp-export',
      'azure-export',
      'azure-export',
      'azure-export',
      'azure-export',
    ])
  })

  it('is what was asked for, whatever the header says', () => {
    expect(formatOf('aws-cur', ['BilledCost', 'ChargePeriodStart']).name).to.equal('aws-cur')
  })

  it('is refused with the names that were looked for when the header belongs to none', () => {
    expect(() => formatOf('auto', ['date', 'cost', 'project']))
      .to.throw(Fault, 'aws-cur (lineItem/UnblendedCost; one of lineItem/UsageStartDate, lineItem/LineItemType)')
      .with.property('code', 'format_unknown')
    expect(() => formatOf('auto', ['date', 'cost'], ';')).to.throw(
      Fault,
      'separated by semicolons, do not match a known bill format',
    )
    expect(() => formatOf('auto', ['date|cost'], ',')).to.throw(
      Fault,
      'no columns separated by commas, semicolons or tabs',
    )
    expect(() => formatOf('auto', []))
      .to.throw(Fault)
      .with.property('code', 'file_empty')
  })
})
