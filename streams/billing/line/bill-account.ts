/** Collects the accounts in a bill: sub-accounts, and billing accounts of lines without one. */
import { ownCopy } from '#engine/value/own-copy.ts'

/** Digits of an AWS account id. */
const awsDigits = 12

/**
 * The id in the form of connected accounts: for Azure without the path and in lower case, for AWS with the leading
 * zeros that spreadsheets remove. The same as `x_SubAccount` in ClickHouse.
 */
export function subAccountId(provider: string, id: string): string {
  if (provider === 'azure') return id.replace(/^\/subscriptions\//, '').toLowerCase()
  return isWithoutZeros(provider, id) ? id.padStart(awsDigits, '0') : id
}

const isWithoutZeros = (provider: string, id: string): boolean =>
  provider === 'aws' && id.length < awsDigits && /^\d+$/.test(id)

/** The distinct accounts of one billing period, in the order of the bill. */
export interface BillAccounts {
  subAccounts: string[]
  billingAccounts: string[]
  /** Those of `subAccounts` whose number had lost its leading zeros. */
  zerosAdded: string[]
}

/** Maximum names of each kind and period: the first ones are enough to tell bills apart. */
const namesMax = 1000

/** The accounts that a line names. */
interface NamedAccounts {
  x_Provider: string
  SubAccountId?: unknown
  BillingAccountId?: unknown
}

export class BillAccountNames {
  readonly #periods = new Map<string, Record<keyof BillAccounts, Set<string>>>()

  add(period: string, { x_Provider, SubAccountId, BillingAccountId }: NamedAccounts): void {
    let names = this.#periods.get(period)
    if (!names)
      this.#periods.set(period, (names = { subAccounts: new Set(), billingAccounts: new Set(), zerosAdded: new Set() }))
    const [provider, sub, billing] = [textOf(x_Provider), textOf(SubAccountId), textOf(BillingAccountId)]
    if (sub === '') return billing === '' ? undefined : note(names.billingAccounts, billing)
    const id = subAccountId(provider, sub)
    note(names.subAccounts, id)
    if (provider === 'aws' && id !== sub) note(names.zerosAdded, id)
  }

  of(period: string): BillAccounts {
    const names = this.#periods.get(period)
    return {
      subAccounts: [...(names?.subAccounts ?? [])],
      billingAccounts: [...(names?.billingAccounts ?? [])],
      zerosAdded: [...(names?.zerosAdded ?? [])],
    }
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

function note(names: Set<string>, name: string): void {
  if (names.size < namesMax && !names.has(name)) names.add(ownCopy(name))
}
