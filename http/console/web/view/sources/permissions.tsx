/** What an account may do, permission by permission: what is missing, what is lost without it, and what to add. */
import { signal } from '@preact/signals'
import { useEffect, useState } from 'preact/hooks'
import type { Reply } from '../../api.ts'
import type { Query } from '../../query.ts'
import { pluralize } from '../../figure.ts'
import { Act } from '../../part/act.tsx'
import { Copies } from '../../part/copy.tsx'
import { Driver } from '../../part/driver.tsx'
import { Panel } from '../../part/panel.tsx'
import { ProblemMessage, Loading, ReportContent } from '../../part/report-content.tsx'
import { change, param } from '../../router.ts'
import { useRequest, useReport } from '../../report.ts'
import { may } from '../../session.ts'
import { cloudAsked } from './connect-query.ts'
import { MissingPermissions, PermissionChips } from './missing-permissions.tsx'
import { AccountStatus } from './account-status.tsx'
import { AccountProgress } from './account-progress.tsx'

type Account = Reply<'GET /cloud-accounts/:cloudAccountID'>
type Check = Reply<'POST /cloud-accounts/:cloudAccountID/check'>

/** The account that a person asked to have checked: an address that is opened asks for nothing by itself. */
const accountToCheck = signal<string | undefined>(undefined)

export function openCheck(id: string, changes: Query = {}): void {
  accountToCheck.value = id
  change({ ...changes, check: id })
}

/** That of an account from its row; who connects one has it in its place. */
export function PermissionsPanel() {
  const id = param('check')
  if (id === undefined || cloudAsked() !== undefined) return null
  return (
    <Panel
      title="Permissions"
      tools={
        <button type="button" class="quiet" onClick={() => change({ check: null })}>
          Close
        </button>
      }
    >
      <Permissions key={id} id={id} />
    </Panel>
  )
}

/** `isNew`: it was connected just now. */
export function Permissions({ id, isNew = false }: { id: string; isNew?: boolean }) {
  const params = { cloudAccountID: id }
  const account = useReport('GET /cloud-accounts/:cloudAccountID', { params, on: ['refresh.', 'inventory.', 'bill.'] })
  const doing = useRequest('POST /cloud-accounts/:cloudAccountID/check')
  const [told, setTold] = useState<Check | undefined>()
  const check = () =>
    void doing.run({ params }, (found) => {
      setTold(found)
      account.again()
    })
  const isWanted = accountToCheck.value === id
  useEffect(() => {
    if (!isWanted) return
    accountToCheck.value = undefined
    if (may('space.update')) check()
  }, [isWanted])
  return (
    <>
      <ReportContent report={account} rows={3}>
        {(data: Account) => <Head account={data} />}
      </ReportContent>
      <p class="bar">
        <Act needs="space.update" disabled={doing.isBusy} onClick={check}>
          {doing.isBusy ? 'Checking…' : told ? 'Check again' : 'Check now'}
        </Act>{' '}
        <Copies
          report={{ operation: 'POST /cloud-accounts/:cloudAccountID/check', given: { params } }}
          of="the check"
        />
      </p>
      {doing.problem && <ProblemMessage problem={doing.problem} />}
      {doing.isBusy && !told && <Loading rows={3} />}
      {told && (
        <div role="status">
          <CheckResult check={told} />
        </div>
      )}
      {account.data && <AccountProgress account={account.data} isNew={isNew} />}
    </>
  )
}

const Head = ({ account }: { account: Account }) => (
  <>
    <p>
      <strong class="clip wide" dir="auto" title={account.name}>
        {account.name}
      </strong>{' '}
      <span class="faint">
        {account.provider} {account.externalID}
      </span>{' '}
      <Driver driver={account.driver} />
    </p>
    <p>
      <AccountStatus account={account} />
    </p>
  </>
)

const verdicts: Readonly<Record<Check['verdict'], string>> = {
  unknown: 'Its permissions are unknown.',
  none: 'It has no permissions.',
  read_only: 'It has read-only access.',
  read_write: 'It has read and write access.',
}

/** What the cloud said stands with the account. */
function CheckResult({ check: { verdict, permissions } }: { check: Check }) {
  const of = (state: string) => permissions.filter((one) => one.state === state)
  const [granted, missing, unknown] = [of('granted'), of('missing'), of('unknown')]
  const looks = missing.filter(({ access }) => access === 'read')
  const acts = missing.filter(({ access }) => access === 'write')
  const mayActAtAll = granted.some(({ access }) => access === 'write')
  return (
    <>
      <p class={`note ${verdict === 'none' || looks.length > 0 ? 'bad' : verdict === 'unknown' ? '' : 'good'}`}>
        {verdicts[verdict]}
        {permissions.length > 0
          ? ` ${granted.length} of ${pluralize(permissions.length, 'permission')} granted.`
          : ' The cloud does not report individual permissions.'}
      </p>
      {looks.length > 0 && (
        <>
          <h3>Missing read permissions</h3>
          <MissingPermissions caption="Missing read permissions" rows={looks} />
        </>
      )}
      {acts.length > 0 &&
        (mayActAtAll ? (
          <>
            <h3>Missing write permissions</h3>
            <MissingPermissions caption="Missing write permissions" rows={acts} />
          </>
        ) : (
          <details>
            <summary>
              Read-only: {pluralize(acts.length, 'write permission')} {acts.length === 1 ? 'is' : 'are'} not granted
            </summary>
            <MissingPermissions caption="Missing write permissions" rows={acts} />
          </details>
        ))}
      {unknown.length > 0 && (
        <details>
          <summary>
            {pluralize(unknown.length, 'permission')} cannot be verified without using{' '}
            {unknown.length === 1 ? 'it' : 'them'}
          </summary>
          <PermissionChips rows={unknown} />
        </details>
      )}
      {granted.length > 0 && (
        <details>
          <summary>{pluralize(granted.length, 'permission')} granted</summary>
          <PermissionChips rows={granted} />
        </details>
      )}
    </>
  )
}
