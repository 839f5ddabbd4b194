/** What lines of bills say of use on demand, and of use that a commitment covers. */
export const run = { ServiceName: 'AmazonEC2', SkuMeter: 'BoxUsage:m5.large', ConsumedUnit: 'Hrs' }
export const covered = (id: string, more: object = {}) => ({
  ...run,
  x_PurchaseType: id.startsWith('sp') ? 'savings_plan' : 'reserved',
  PricingCategory: 'Committed',
  BilledCost: '0',
  CommitmentDiscountId: id,
  CommitmentDiscountName: `the ${id}`,
  CommitmentDiscountType: id.startsWith('sp') ? 'Savings Plan' : 'Reserved Instance',
  CommitmentDiscountCategory: id.startsWith('sp') ? 'Spend' : 'Usage',
  CommitmentDiscountStatus: 'Used',
  ...more,
})
