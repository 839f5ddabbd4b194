/** Google Cloud, Azure and clusters on their own: what each wants, checked by the API before anything begins. */
import { Act } from '../../part/act.tsx'
import { ChoiceField, FormProblem, TextField } from '../../part/form.tsx'
import { useRequest } from '../../report.ts'
import { finishConnect, regionsOf, textAsked, type, type Cloud, type Text } from './connect-query.ts'
import { openCheck } from './permissions.tsx'

/** What was typed of credentials, by cloud and name. */
export type Secrets = Readonly<Record<string, string>>

interface CredentialField {
  name: string
  label: string
  hint?: string
  isSecret?: boolean
  rows?: number
  isJSON?: boolean
}

interface OtherCloud {
  account: string
  /** What its ID begins with. */
  prefix?: string
  /** Without it, it has no bills. */
  bills?: string
  regions: string
  /** Its provider is chosen: that of its nodes. */
  hasNodes?: boolean
  credentials: readonly CredentialField[]
  next: string
}

const next =
  'What happens next: the credentials are checked and a first discovery starts. Nothing is changed in the cloud.'
const allRegions = 'Regions (leave empty for all)'

const clouds: Readonly<Record<Exclude<Cloud, 'aws'>, OtherCloud>> = {
  gcp: {
    account: 'Project ID',
    bills: 'bigquery://project/dataset or gs://bucket/prefix',
    regions: allRegions,
    next,
    credentials: [
      {
        name: 'serviceAccount',
        label: 'Service account key',
        hint: 'the JSON key file from Google',
        rows: 4,
        isJSON: true,
        isSecret: true,
      },
    ],
  },
  azure: {
    account: 'Subscription ID',
    bills: 'https://account.blob.core.windows.net/container/directory',
    regions: allRegions,
    next,
    credentials: [
      { name: 'tenantID', label: 'Directory (tenant) ID' },
      { name: 'clientID', label: 'Application (client) ID' },
      { name: 'clientSecret', label: 'Client secret', isSecret: true },
    ],
  },
  kubernetes: {
    account: 'Cluster name',
    prefix: 'cluster/',
    regions: 'Region (leave empty for none)',
    hasNodes: true,
    next: 'What happens next: the cluster is read, and its costs appear in the Kubernetes report, by the prices of its nodes. Nothing is changed in it.',
    credentials: [
      {
        name: 'kubeconfig',
        label: 'Kubeconfig',
        hint: 'with the token or the certificate of a user that may read the cluster',
        rows: 6,
        isSecret: true,
      },
      {
        name: 'prices',
        label: 'Prices of nodes',
        hint: 'JSON such as {"vcpuUsdHour": 0.02, "gibUsdHour": 0.003}; leave empty for on-demand prices',
        rows: 3,
        isJSON: true,
      },
    ],
  },
}

const nodeClouds = [
  { value: 'aws', title: 'AWS, or machines of your own' },
  { value: 'gcp', title: 'Google Cloud' },
  { value: 'azure', title: 'Azure' },
] as const

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    // The API says what is wrong with it.
    return text
  }
}

interface OtherProps {
  cloud: Exclude<Cloud, 'aws'>
  secrets: Secrets
  onSecrets: (secrets: Secrets) => void
}

export function Other({ cloud, secrets, onSecrets }: OtherProps) {
  const doing = useRequest('POST /cloud-accounts')
  const { account, prefix = '', bills, regions: regionsLabel, hasNodes, credentials, next: nextText } = clouds[cloud]
  const provider =
    cloud === 'kubernetes' ? (nodeClouds.find(({ value }) => value === textAsked('nodes'))?.value ?? 'aws') : cloud
  const typed = (name: string): string => secrets[`${cloud}/${name}`] ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    const given = credentials.filter(({ name }) => typed(name) !== '')
    const values = given.map(({ name, isJSON }) => [name, isJSON ? jsonOf(typed(name)) : typed(name)])
    const [regions, location] = [regionsOf(textAsked('regions')), textAsked('location')]
    const body = {
      name: textAsked('name'),
      provider,
      externalID: `${prefix}${textAsked('account')}`,
      ...(values.length > 0 && { credentials: Object.fromEntries(values) as Record<string, unknown> }),
      ...(regions.length > 0 && { regions }),
      ...(location !== '' && { billingExport: { kind: 'focus', location } }),
    }
    void doing.run({ body }, ({ id }) => {
      onSecrets({})
      openCheck(id, finishConnect(cloud))
    })
  }
  const field = (name: Text, label: string, at: string, more: object = {}) => (
    <TextField label={label} at={at} problem={doing.problem} value={textAsked(name)} onValue={type(name)} {...more} />
  )
  const secret = ({ name, label, hint, isSecret, rows }: CredentialField) => (
    <TextField
      key={name}
      label={label}
      hint={hint}
      rows={rows}
      isCode
      type={isSecret ? 'password' : 'text'}
      at={`/credentials/${name}`}
      problem={doing.problem}
      value={typed(name)}
      onValue={(value: string) => onSecrets({ ...secrets, [`${cloud}/${name}`]: value })}
    />
  )
  const places = credentials.map(({ name }) => `/credentials/${name}`)
  return (
    <form class="form after" onSubmit={submit}>
      {field('name', 'Name', '/name', { required: true })}
      {field('account', account, '/externalID', { required: true, isCode: true })}
      <p class="faint">
        Credentials are encrypted on arrival and never shown again.{' '}
        {hasNodes
          ? 'docs/kubernetes.md has the commands that create a user for this.'
          : 'Without credentials, the account waits for a producer or uploaded bills.'}
      </p>
      {credentials.map(secret)}
      {hasNodes && (
        <ChoiceField label="Its nodes run on" value={provider} options={nodeClouds} onValue={type('nodes')} />
      )}
      {field('regions', regionsLabel, '/regions', { isCode: true })}
      {bills !== undefined &&
        field('location', 'Billing export location', '/billingExport/location', {
          hint: `${bills}; leave empty to fetch no bills`,
          isCode: true,
        })}
      <FormProblem
        problem={doing.problem}
        fields={['/name', '/externalID', '/regions', '/billingExport/location', ...places]}
      />
      <p class="bar">
        <Act type="submit" needs="space.create" class="main" disabled={doing.isBusy}>
          {doing.isBusy ? 'Connecting…' : 'Connect'}
        </Act>
      </p>
      <p class="faint">{nextText}</p>
    </form>
  )
}
