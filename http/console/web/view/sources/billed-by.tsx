/** Whose bill the costs of an account are in, and which accounts a payer's bill has, of the last 30 days. */
import { count, pluralize } from '../../figure.ts'
import { valueOf } from '../../filter.ts'
import { hrefOf } from '../../router.ts'
import { useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { Clip } from '../../part/clip.tsx'

interface NamedAccount {
  id: string
  name: string
}

export interface Billing {
  /** Other accounts whose bills it is in. */
  by: readonly NamedAccount[]
  /** Connected accounts that its bill has. */
  members: readonly NamedAccount[]
  /** What else its bill names: nobody has connected it. */
  others: readonly NamedAccount[]
}

interface Node {
  id: string
  label?: string
}

/** By the id of the account; only of those given, which are a page. */
export function useBillings(
  accounts: readonly { id: string; externalID: string }[],
): (account: { id: string; externalID: string }) => Billing {
  const ids = accounts.map(({ id }) => id)
  const when = ids.length > 0 && may('service.view')
  const ofAccounts = useReport('GET /reports/costs/breakdown', {
    query: { group_by: 'cloud_account_id,billing_account', cloud_account_id: ids.join() },
    when,
  })
  const ofBills = useReport('GET /reports/costs/breakdown', {
    query: { group_by: 'billing_account,cloud_account_id,sub_account', 'filter[billing_account]': ids },
    when,
  })
  return (account) => billingOf(account, ofAccounts.data?.nodes ?? [], ofBills.data?.nodes ?? [])
}

const pathOf = ({ id }: Node): string[] => id.split('|').map(valueOf)

/** `ofAccounts` lead from accounts to who was billed; `ofBills` from who was billed to accounts and sub-accounts. */
function billingOf(
  { id, externalID }: { id: string; externalID: string },
  ofAccounts: readonly Node[],
  ofBills: readonly Node[],
): Billing {
  const named = (nodes: readonly Node[], depth: number, wanted: (path: readonly string[]) => boolean): NamedAccount[] =>
    nodes.flatMap((node) => {
      const path = pathOf(node)
      const last = path.at(-1)!
      return path.length === depth && path[0] === id && wanted(path) ? [{ id: last, name: node.label ?? last }] : []
    })
  return {
    by: named(ofAccounts, 2, ([, biller]) => biller !== id),
    members: named(ofBills, 2, ([, usage]) => usage !== id),
    others: named(ofBills, 3, ([, usage, sub]) => usage === id && sub !== externalID && sub !== '(none)'),
  }
}

const namesMax = 3

function namesOf(all: readonly NamedAccount[]): string {
  const more = all.length - namesMax
  const names = all.slice(0, namesMax).map(({ name }) => name)
  return more > 0 ? `${names.join(', ')} and ${count(more)} more` : names.join(', ')
}

export function BilledBy({ id, billing: { by, members, others } }: { id: string; billing: Billing }) {
  if (by.length + members.length + others.length === 0) return <span class="faint">itself</span>
  const href = hrefOf('costs', { 'filter[billing_account]': id, dims: 'sub_account' })
  return (
    <>
      {by.length > 0 ? (
        <Clip text={namesOf(by)} title={by.map(({ name }) => name).join(', ')} />
      ) : (
        <span class="faint">itself</span>
      )}
      {members.length + others.length > 0 && (
        <span class="sub">
          <a href={href}>Pays for {pluralize(members.length + others.length, 'other account')}</a>:{' '}
          <span dir="auto">{namesOf([...members, ...others])}</span>
        </span>
      )}
      {others.length > 0 && (
        <span class="sub faint">
          {pluralize(others.length, 'account')} not connected: <span dir="auto">{namesOf(others)}</span>
        </span>
      )}
    </>
  )
}
