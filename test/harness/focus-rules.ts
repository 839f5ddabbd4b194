/**
 * What a FOCUS Cost and Usage file must be, from the column table of the specification (1.2 and 1.4), knowing nothing of how
 * the product makes one.
 */

/** Name, type, whether it may be null, the version it came with, and what its values are limited to. */
const table = `
AllocatedMethodDetails;JSON;null;1.3;
AllocatedMethodId;String;null;1.3;
AllocatedResourceId;String;null;1.3;
AllocatedResourceName;String;null;1.3;
AllocatedTags;JSON;null;1.3;flat
AvailabilityZone;String;null;0.5;
BilledCost;Decimal;value;0.5;
BillingAccountId;String;value;0.5;
BillingAccountName;String;null;0.5;
BillingAccountType;String;value;1.2;
BillingCurrency;String;value;0.5;ISO4217
BillingPeriodEnd;Date/Time;value;0.5;
BillingPeriodStart;Date/Time;value;0.5;
CapacityReservationId;String;null;1.1;
CapacityReservationStatus;String;null;1.1;Used|Unused
ChargeCategory;String;value;0.5;Usage|Purchase|Tax|Credit|Adjustment
ChargeClass;String;null;1.0;Correction
ChargeDescription;String;null;1.0;
ChargeFrequency;String;value;1.0;One-Time|Recurring|Usage-Based
ChargePeriodEnd;Date/Time;value;0.5;
ChargePeriodStart;Date/Time;value;0.5;
CommitmentDiscountCategory;String;null;1.0;Spend|Usage
CommitmentDiscountId;String;null;1.0;
CommitmentDiscountName;String;null;1.0;
CommitmentDiscountQuantity;Decimal;null;1.1;
CommitmentDiscountStatus;String;null;1.0;Used|Unused
CommitmentDiscountType;String;null;1.0;
CommitmentDiscountUnit;String;null;1.1;
CommitmentProgramEligibilityDetails;JSON;null;1.4;
ConsumedQuantity;Decimal;null;1.0;
ConsumedUnit;String;null;1.0;
ContractApplied;JSON;null;1.3;
ContractedCost;Decimal;value;1.0;
ContractedUnitPrice;Decimal;null;1.0;>=0
EffectiveCost;Decimal;value;0.5;
HostProviderName;String;null;1.3;
InvoiceDetailId;String;null;1.4;
InvoiceId;String;null;1.2;
InvoiceIssuerName;String;value;0.5;
ListCost;Decimal;value;1.0;
ListUnitPrice;Decimal;null;1.0;>=0
PricingCategory;String;null;1.0;Standard|Dynamic|Committed|Other
PricingCurrency;String;value;1.2;ISO4217
PricingCurrencyContractedUnitPrice;Decimal;null;1.2;>=0
PricingCurrencyEffectiveCost;Decimal;value;1.2;
PricingCurrencyListUnitPrice;Decimal;null;1.2;>=0
PricingQuantity;Decimal;null;1.0;
PricingUnit;String;null;1.0;
RegionId;String;null;1.0;
RegionName;String;null;1.0;
ResourceId;String;null;0.5;
ResourceName;String;null;0.5;
ResourceType;String;null;1.0;
ServiceCategory;String;value;0.5;AI and Machine Learning|Analytics|Business Applications|Compute|Databases|Developer Tools|Multicloud|Identity|Integration|Internet of Things|Management and Governance|Media|Migration|Mobile|Networking|Security|Storage|Web|Other
ServiceName;String;value;0.5;
ServiceProviderName;String;value;1.3;
ServiceSubcategory;String;value;1.1;
SkuId;String;null;1.0;
SkuMeter;String;null;1.1;
SkuPriceDetails;JSON;null;1.1;flat
SkuPriceId;String;null;1.0;
SubAccountId;String;null;0.5;
SubAccountName;String;null;0.5;
SubAccountType;String;null;1.2;
Tags;JSON;null;1.0;flat
`

interface Rule {
  name: string
  type: string
  isNullable: boolean
  since: number
  limit: string
}

const rules: readonly Rule[] = table
  .trim()
  .split('\n')
  .map((text) => {
    const [name = '', type = '', nullable, since, limit = ''] = text.split(';')
    return { name, type, isNullable: nullable === 'null', since: Number(since), limit }
  })

export type FocusRow = Readonly<Record<string, string | number | null>>

const old = (name: string): Rule => ({ name, type: 'String', isNullable: false, since: 0.5, limit: '' })

/** The columns of a version in its order. */
export function focusRules(version: '1.2' | '1.4'): readonly Rule[] {
  const named = version === '1.4' ? rules : [...rules, old('ProviderName'), old('PublisherName')]
  return named.filter(({ since }) => since <= Number(version)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What is wrong with a file; nothing for one that conforms. Rows hold text, or, of JSON files, numbers and nulls. */
export function focusFaults(version: '1.2' | '1.4', header: readonly string[], rows: readonly FocusRow[]): string[] {
  const wanted = focusRules(version)
  const names = wanted.map(({ name }) => name)
  const faults =
    header.slice(0, names.length).join() === names.join() ? [] : ['the columns are not those of the version']
  const others = header.slice(names.length).filter((name) => !/^x_[A-Za-z]+$/.test(name))
  if (others.length > 0) faults.push(`columns of nobody: ${others.join()}`)
  for (const [at, row] of rows.entries()) {
    const read = (name: string) =>
      row[name] === null || row[name] === undefined || row[name] === '' ? undefined : String(row[name])
    for (const rule of wanted) {
      const fault = faultOf(rule, read(rule.name))
      if (fault) faults.push(`row ${at + 1}: ${rule.name} ${fault}`)
    }
    for (const fault of betweenColumns(read)) faults.push(`row ${at + 1}: ${fault}`)
  }
  return faults
}

const decimal = /^-?(0|[1-9]\d*)(\.\d+)?$/
const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/

function faultOf(rule: Rule, value: string | undefined): string | undefined {
  if (value === undefined) return rule.isNullable ? undefined : 'is null'
  return typeFault(rule, value) ?? (rule.type === 'String' ? textFault(rule.limit, value) : undefined)
}

function typeFault({ type, limit }: Rule, value: string): string | undefined {
  if (type === 'Decimal' && !decimal.test(value)) return `is no decimal: ${value}`
  if (limit === '>=0' && value.startsWith('-')) return 'is negative'
  if (type === 'JSON') return jsonFault(value, limit === 'flat')
  if (type !== 'Date/Time') return undefined
  return time.test(value) && Number.isFinite(Date.parse(value)) ? undefined : `is no time: ${value}`
}

function textFault(limit: string, value: string): string | undefined {
  if (limit === '') return undefined
  if (limit === 'ISO4217') return /^[A-Z]{3}$/.test(value) ? undefined : `is no currency: ${value}`
  return limit.split('|').includes(value) ? undefined : `is none of ${limit}: ${value}`
}

function jsonFault(value: string, isFlat: boolean): string | undefined {
  try {
    const found = JSON.parse(value) as unknown
    if (typeof found !== 'object' || found === null || Array.isArray(found)) return 'is no object'
    return isFlat && Object.values(found).some((entry) => typeof entry === 'object') ? 'is not flat' : undefined
  } catch {
    return 'is no JSON'
  }
}

const together = [
  ['PricingQuantity', 'PricingUnit'],
  ['ConsumedQuantity', 'ConsumedUnit'],
  ['CommitmentDiscountQuantity', 'CommitmentDiscountUnit'],
  ['RegionId', 'RegionName'],
  ['SubAccountId', 'SubAccountName'],
  ['SubAccountId', 'SubAccountType'],
] as const

/** What a tax has nothing of. */
const untaxed = [
  'ContractedUnitPrice',
  'ListUnitPrice',
  'PricingCategory',
  'PricingCurrencyContractedUnitPrice',
  'PricingCurrencyListUnitPrice',
  'PricingQuantity',
  'SkuId',
  'SkuPriceId',
] as const

function* byCategory(read: (name: string) => string | undefined): Generator<string> {
  const has = (name: string) => read(name) !== undefined
  const category = read('ChargeCategory') ?? ''
  if (category === 'Tax') yield* untaxed.filter(has).map((name) => `a tax has ${name}`)
  if (['Usage', 'Purchase'].includes(category) && !has('PricingCategory')) yield 'PricingCategory is null'
  if (!has('ConsumedQuantity')) return
  if (category !== 'Usage' || read('CommitmentDiscountStatus') === 'Unused')
    yield 'ConsumedQuantity of what was not used'
  if (has('CommitmentDiscountId') && !has('CommitmentDiscountStatus'))
    yield 'CommitmentDiscountStatus of what was consumed is null'
}

function* betweenColumns(read: (name: string) => string | undefined): Generator<string> {
  for (const kind of ['ChargePeriod', 'BillingPeriod'])
    if ((read(`${kind}Start`) ?? '') >= (read(`${kind}End`) ?? '')) yield `${kind} ends before it starts`
  for (const [one, other] of together)
    if ((read(one) === undefined) !== (read(other) === undefined)) yield `${one} and ${other} are not null together`
  yield* byCategory(read)
  if (read('ResourceId') === undefined && read('ResourceType') !== undefined) yield 'ResourceType without ResourceId'
  if (read('ChargeCategory') === 'Purchase' && read('ChargeFrequency') === 'Usage-Based')
    yield 'a purchase is Usage-Based'
}
