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

/** A kind of credentials: what is typed, and what is sent with it. */
interface Proof {
  value: string
  title: string
  fields: readonly CredentialField[]
  fixed?: Readonly<Record<string, unknown>>
  /** What it needs. */
  hint?: string
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
  /** Of several, one is chosen. */
  proofs: readonly [Proof, ...Proof[]]
  /** Clouds of the provider, of which the first is the usual one. */
  environments?: readonly { value: string; title: string }[]
  next: string
}

const next =
  'What happens next: the credentials are checked and a first discovery starts. Nothing is changed in the cloud.'
const allRegions = 'Regions (leave empty for all)'

const application = [
  { name: 'tenantID', label: 'Directory (tenant) ID' },
  { name: 'clientID', label: 'Application (client) ID' },
] as const

const clouds: Readonly<Record<Exclude<Cloud, 'aws'>, OtherCloud>> = {
  gcp: {
    account: 'Project ID',
    bills: 'bigquery://project/dataset or gs://bucket/prefix',
    regions: allRegions,
    next,
    proofs: [
      {
        value: 'key',
        title: 'Service account key',
        fields: [
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
      {
        value: 'federation',
        title: 'Workload identity federation',
        fields: [
          {
            name: 'workloadIdentity',
            label: 'Configuration of the pool',
            hint: 'the JSON file that the last command of the guide writes; it contains no secret',
            rows: 4,
            isJSON: true,
          },
        ],
      },
      {
        value: 'attached',
        title: 'Service account of the machine',
        fields: [],
        fixed: { attachedIdentity: true },
        hint: 'The machine that Tidemark runs on has a service account, which the operator allows this organization to use (GCP_ATTACHED_IDENTITY_ORG).',
      },
    ],
  },
  azure: {
    account: 'Subscription ID',
    bills: 'https://account.blob.core.windows.net/container/directory, or /subscriptions/ID to query costs',
    regions: allRegions,
    next,
    proofs: [
      {
        value: 'secret',
        title: 'Client secret',
        fields: [...application, { name: 'clientSecret', label: 'Client secret', isSecret: true }],
      },
      {
        value: 'certificate',
        title: 'Certificate',
        fields: [
          ...application,
          {
            name: 'certificate',
            label: 'Certificate and private key',
            hint: 'PEM, without a password',
            rows: 6,
            isSecret: true,
          },
        ],
      },
      {
        value: 'federation',
        title: 'Workload identity federation',
        fields: application,
        fixed: { workloadIdentity: true },
        hint: 'The application trusts tokens of Tidemark for this organization: docs/connect-azure.md has the command.',
      },
      {
        value: 'managed',
        title: 'Managed identity of the machine',
        fields: [application[0], { name: 'clientID', label: 'Client ID of the managed identity' }],
        fixed: { managedIdentity: true },
        hint: 'The machine that Tidemark runs on has this identity, which the operator allows this organization to use (AZURE_MANAGED_IDENTITIES).',
      },
    ],
    environments: [
      { value: 'AzureCloud', title: 'Azure' },
      { value: 'AzureUSGovernment', title: 'Azure Government (US)' },
      { value: 'AzureChinaCloud', title: 'Azure China' },
    ],
  },
  kubernetes: {
    account: 'Cluster name',
    prefix: 'cluster/',
    regions: 'Region (leave empty for none)',
    hasNodes: true,
    next: 'What happens next: the cluster is read, and its costs appear in the Kubernetes report, by the prices of its nodes. Nothing is changed in it.',
    proofs: [
      {
        value: 'kubeconfig',
        title: 'Kubeconfig',
        fields: [
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

/** Costs of a subscription are queried, and not read from an export. */
const billKind = (location: string): string => (location.startsWith('/subscriptions/') ? 'cost-management' : 'focus')

interface OtherProps {
  cloud: Exclude<Cloud, 'aws'>
  secrets: Secrets
  onSecrets: (secrets: Secrets) => void
}

/** What was chosen and typed of a cloud. */
function chosenOf(cloud: OtherProps['cloud']) {
  const { proofs, environments = [] } = clouds[cloud]
  const [usual] = environments
  return {
    proof: proofs.find(({ value }) => value === textAsked('proof')) ?? proofs[0],
    environment: environments.find(({ value }) => value === textAsked('azure_cloud')) ?? usual,
    usual,
    provider:
      cloud === 'kubernetes' ? (nodeClouds.find(({ value }) => value === textAsked('nodes'))?.value ?? 'aws') : cloud,
  }
}

type Typed = (name: string) => string

/** Undefined if nothing was typed. */
function credentialsOf(
  { proof, environment, usual }: ReturnType<typeof chosenOf>,
  typed: Typed,
): Record<string, unknown> | undefined {
  const given = proof.fields.filter(({ name }) => typed(name) !== '')
  const values = Object.fromEntries(given.map(({ name, isJSON }) => [name, isJSON ? jsonOf(typed(name)) : typed(name)]))
  if (given.length === 0 && proof.fixed === undefined) return undefined
  return { ...values, ...proof.fixed, ...(environment !== usual && { cloud: environment?.value }) }
}

function bodyOf(cloud: OtherProps['cloud'], typed: Typed) {
  const chosen = chosenOf(cloud)
  const credentials = credentialsOf(chosen, typed)
  const [regions, location] = [regionsOf(textAsked('regions')), textAsked('location')]
  return {
    name: textAsked('name'),
    provider: chosen.provider,
    externalID: `${clouds[cloud].prefix ?? ''}${textAsked('account')}`,
    ...(credentials && { credentials }),
    ...(regions.length > 0 && { regions }),
    ...(location !== '' && { billingExport: { kind: billKind(location), location } }),
  }
}

interface CredentialsProps extends OtherProps {
  problem: ReturnType<typeof useRequest>['problem']
  typed: Typed
}

/** The kinds of credentials, and the fields of the one that is chosen. */
function Credentials({ cloud, secrets, onSecrets, problem, typed }: CredentialsProps) {
  const { proofs, environments } = clouds[cloud]
  const { proof, environment } = chosenOf(cloud)
  return (
    <>
      {environments && environment && (
        <ChoiceField
          label="Azure environment"
          at="/credentials/cloud"
          problem={problem}
          value={environment.value}
          options={environments}
          onValue={type('azure_cloud')}
        />
      )}
      {proofs.length > 1 && (
        <ChoiceField
          label="Credentials"
          at="/credentials"
          problem={problem}
          hint={proof.hint}
          value={proof.value}
          options={proofs}
          onValue={type('proof')}
        />
      )}
      {proof.fields.map(({ name, label, hint, isSecret, rows }) => (
        <TextField
          key={name}
          label={label}
          hint={hint}
          rows={rows}
          isCode
          type={isSecret ? 'password' : 'text'}
          at={`/credentials/${name}`}
          problem={problem}
          value={typed(name)}
          onValue={(value: string) => onSecrets({ ...secrets, [`${cloud}/${name}`]: value })}
        />
      ))}
    </>
  )
}

export function Other({ cloud, secrets, onSecrets }: OtherProps) {
  const doing = useRequest('POST /cloud-accounts')
  const { account, bills, regions: regionsLabel, hasNodes, next: nextText } = clouds[cloud]
  const { proof, provider } = chosenOf(cloud)
  const typed = (name: string): string => secrets[`${cloud}/${name}`] ?? ''
  const submit = (event: Event) => {
    event.preventDefault()
    void doing.run({ body: bodyOf(cloud, typed) }, ({ id }) => {
      onSecrets({})
      openCheck(id, finishConnect(cloud))
    })
  }
  const field = (name: Text, label: string, at: string, more: object = {}) => (
    <TextField label={label} at={at} problem={doing.problem} value={textAsked(name)} onValue={type(name)} {...more} />
  )
  const places = ['', '/cloud', ...proof.fields.map(({ name }) => `/${name}`)].map((at) => `/credentials${at}`)
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
      <Credentials cloud={cloud} secrets={secrets} onSecrets={onSecrets} problem={doing.problem} typed={typed} />
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
