/** Charges of the last 30 days that the bills of several accounts have: which of them count. */
import { html } from '../../html.ts'
import { useReport } from '../../report.ts'
import { usd } from '../../figure.ts'
import { hrefOf } from '../../place.ts'

export function Twice() {
  const { data } = useReport('GET /reports/bill-overlaps', { query: {} })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return html`<div class="note" role="status">
    <p>Some charges are in the bills of several accounts. Reports count charges once where they know both bills to be of one account; <a href=${hrefOf('settings', {})}>Settings</a> say which bill counts.</p>
    <ul>${items.map(
      ({ month, subAccountID, subAccountName, bills, isDouble }) =>
        html`<li key=${`${month} ${subAccountID}`}><strong dir="auto">${subAccountName || subAccountID}</strong>, ${month}: ${bills.map(({ cloudAccountName, countedUSD, leftOutUSD }) => `${cloudAccountName} ${usd(countedUSD)} counted${leftOutUSD === 0 ? '' : `, ${usd(leftOutUSD)} left out`}`).join('; ')}${isDouble && html`. <strong>All of it counts</strong>: if these are the same charges, take one of the bills back`}</li>`,
    )}</ul>
  </div>`
}
