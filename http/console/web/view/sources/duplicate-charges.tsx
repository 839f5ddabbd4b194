/** Charges of the last 30 days that appear in the bills of several accounts, and which of them count. */
import { useReport } from '../../report.ts'
import { usd } from '../../figure.ts'
import { hrefOf } from '../../router.ts'

export function DuplicateCharges() {
  const { data } = useReport('GET /reports/bill-overlaps', { query: {} })
  const items = data?.items ?? []
  if (items.length === 0) return null
  return (
    <div class="note" role="status">
      <p>
        Some charges appear in more than one bill. Reports count them once when both bills are about the same connected
        account. Choose which bill counts in <a href={hrefOf('settings', {})}>Settings</a>.
      </p>
      <ul>
        {items.map(({ month, subAccountID, subAccountName, bills, isDouble }) => (
          <li key={`${month} ${subAccountID}`}>
            <strong dir="auto">{subAccountName || subAccountID}</strong>, {month}:{' '}
            {bills
              .map(
                ({ cloudAccountName, countedUSD, leftOutUSD }) =>
                  `${cloudAccountName} ${usd(countedUSD)} counted${leftOutUSD === 0 ? '' : `, ${usd(leftOutUSD)} left out`}`,
              )
              .join('; ')}
            {isDouble && (
              <>
                . <strong>All of it counts.</strong> If these are the same charges, remove one of the bills.
              </>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
