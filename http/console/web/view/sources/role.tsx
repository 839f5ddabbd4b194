/** The role, what may be done with it, and what is looked through. */
import { useState } from 'preact/hooks'
import { curlOf } from '../../address.ts'
import { Act } from '../../part/act.tsx'
import { Copy } from '../../part/copy.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { Problem } from '../../problem.ts'
import { change } from '../../router.ts'
import { useRequest } from '../../report.ts'
import { accessAsked, accountOf, finishConnect, regionsOf, textAsked, type, type Text } from './connect-query.ts'
import { openCheck } from './permissions.tsx'

const accesses = [
  { value: 'read', title: 'Read-only: resources, metrics and bills' },
  { value: 'write', title: 'Read and write: also start, stop, scale, change and provision' },
  { value: 'none', title: 'None: data comes from producers and uploaded bills' },
]

const hints = {
  read: 'Nothing can be changed in the cloud. You can allow more later.',
  write: 'Permission alone changes nothing: changes are made only when a person or one of your rules requests them.',
  none: 'No cloud API is called, and no role is needed.',
} as const

const chooseAccess = (to: string) => change({ access: to === 'read' ? null : to }, { replace: true })

const fields = [
  '/credentials/roleARN',
  '/credentials/externalID',
  '/externalID',
  '/name',
  '/regions',
  '/billingExport/location',
]

/** The API could say no more of a role whose account cannot be read. */
const unreadable = () =>
  new Problem(400, {
    code: 'invalid',
    errors: [
      {
        in: 'body',
        name: '/credentials/roleARN',
        code: 'pattern',
        message: 'must look like arn:aws:iam::123456789012:role/tidemark',
      },
    ],
  })

/** What is sent: the account is that of the role, and unless it is called otherwise it has its number for a name. */
function bodyNow(externalID: string | undefined) {
  const isFed = accessAsked() === 'none'
  const roleARN = textAsked('role_arn').trim()
  const account = isFed ? textAsked('account').trim() : (accountOf(roleARN) ?? '')
  const [regions, location] = [regionsOf(textAsked('regions')), textAsked('location').trim()]
  return {
    name: textAsked('name') || `AWS ${account}`,
    provider: 'aws',
    externalID: account,
    ...(!isFed && { credentials: { roleARN, externalID: externalID ?? '' } }),
    ...(regions.length > 0 && { regions }),
    ...(location !== '' && { billingExport: { kind: 'focus', location } }),
  }
}

export function Role({ externalID }: { externalID: string | undefined }) {
  const access = accessAsked()
  const isFed = access === 'none'
  const doing = useRequest('POST /cloud-accounts')
  const [wrong, setWrong] = useState<Problem | undefined>()
  const problem = wrong ?? doing.problem
  const [account, bucket] = [accountOf(textAsked('role_arn')), textAsked('billing_bucket')]
  const submit = (event: Event) => {
    event.preventDefault()
    const isUnreadable = !isFed && account === undefined
    setWrong(isUnreadable ? unreadable() : undefined)
    if (!isUnreadable) void doing.run({ body: bodyNow(externalID) }, ({ id }) => openCheck(id, finishConnect('aws')))
  }
  const field = (name: Text, label: string, at: string, more: object = {}) => (
    <TextField label={label} at={at} problem={problem} value={textAsked(name)} onValue={type(name)} {...more} />
  )
  return (
    <form class="form after" onSubmit={submit} noValidate>
      <ChoiceField label="Access level" value={access} options={accesses} onValue={chooseAccess} hint={hints[access]} />
      {isFed
        ? field('account', 'Account number, twelve digits', '/externalID', { isCode: true })
        : field('role_arn', 'Role ARN', '/credentials/roleARN', {
            isCode: true,
            hint:
              account === undefined
                ? 'such as arn:aws:iam::123456789012:role/tidemark'
                : `a role in account ${account}`,
          })}
      {field('name', 'Name', '/name', { hint: `leave empty to use AWS ${account ?? 'and the account number'}` })}
      {field('regions', 'Regions (leave empty for all)', '/regions', {
        hint: 'such as eu-central-1 us-east-1',
        isCode: true,
      })}
      {field('location', 'Billing export location', '/billingExport/location', {
        hint: bucket
          ? `such as s3://${bucket}/exports; leave empty to use Cost Explorer`
          : 'such as s3://BUCKET/PREFIX; leave empty to use Cost Explorer',
        isCode: true,
      })}
      <FormProblem problem={problem} fields={fields} />
      <p class="bar">
        <Act
          type="submit"
          needs="space.create"
          class="main"
          disabled={doing.isBusy || (!isFed && externalID === undefined)}
        >
          {doing.isBusy ? 'Connecting…' : 'Connect'}
        </Act>{' '}
        <Copy label="Copy as curl" text={curlOf('POST /cloud-accounts', {}, {}, bodyNow(externalID))} />
      </p>
      <p class="faint">
        What happens next:{' '}
        {isFed
          ? 'the account waits for a producer or uploaded bills.'
          : 'the role is assumed and its permissions are checked, a first discovery starts, and the bills of the last months are fetched. Nothing is changed in the cloud.'}{' '}
        You can disconnect it at any time.
      </p>
    </form>
  )
}
