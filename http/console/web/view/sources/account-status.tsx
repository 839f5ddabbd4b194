/** How an account stands, in words. */
import type { Reply } from '../../api.ts'

type Account = Reply<'GET /cloud-accounts'>['items'][number]

const verdicts: Readonly<Record<Account['permissionVerdict'], string>> = {
  unknown: 'permissions unknown',
  none: 'no permissions',
  read_only: 'read-only',
  read_write: 'read and write',
}

/** More stand in its check. */
const namesMax = 3

function lackingText(missing: readonly string[]): string {
  if (missing.length === 0) return ''
  const more = missing.length > namesMax ? ` and ${missing.length - namesMax} more` : ''
  return `; missing ${missing.slice(0, namesMax).join(', ')}${more}`
}

export function AccountStatus({ account }: { account: Account }) {
  const { status, permissionVerdict, missingPermissions, message } = account
  const look = status === 'connected' ? 'good' : status === 'pending' ? '' : 'warning'
  return (
    <>
      <span class={`badge ${look}`}>{status}</span>{' '}
      <span class="sub faint">
        {verdicts[permissionVerdict]}
        {lackingText(missingPermissions)}
      </span>{' '}
      {message && (
        <span class="sub" dir="auto">
          {message}
        </span>
      )}
    </>
  )
}
