/** Every block of commands in README and docs/*.md, in the order of its page: how it is run against the demo, or why it is not. */
import type { Decision } from '#test/harness/pasted.ts'

const needsCloud = 'needs an account at a cloud provider'
const needsIdentityProvider = 'needs an identity provider, and DNS records of a domain'
const ofOperator = 'is for servers of an operator'

const run = (begins: string, more: Omit<Decision, 'begins' | 'skip'> = {}): Decision => ({ begins, ...more })
const skip = (begins: string, why: string): Decision => ({ begins, skip: why })

/** Two files of one bill, of a sub-account: no two accounts may have the same bill. */
const bills = (
  of: number,
) => `printf 'BilledCost,ChargePeriodStart,ProviderName,SubAccountId\\n1.5,2026-01-14,AWS,${of}\\n' | gzip > cur-1.csv.gz
printf 'BilledCost,ChargePeriodStart,ProviderName,SubAccountId\\n2.5,2026-01-15,AWS,${of}\\n' | gzip > cur-2.csv.gz`
/** A machine of the demo that runs, and its account. */
const machine = `MACHINES=$(get '/resources?type=aws-ec2&status=running&limit=1'); MACHINE=$(at '[0].uid' <<< "$MACHINES")
ACCOUNT=$(at '[0].cloudAccountID' <<< "$MACHINES")`
/** The autoscaler policy of the demo. */
const policy = `POLICIES=$(get /autoscaler-policies); POLICY=$(at '.items[0].id' <<< "$POLICIES")`
const space = `SPACE=$(get /spaces | at '.items.find((one) => one.kind === "account_region").id')
CLUSTER=$(get /spaces | at '.items.find((one) => one.kind === "cluster").id')`
const account = (provider: string) =>
  `ACCOUNT=$(get '/cloud-accounts' | at '.items.find((one) => one.provider === "${provider}").id')`
const token = 'T=$TOKEN'
const producer = `NATS=$(tidemark producer create --org $ORG | head -1); export NATS`
const signIn = (name: string) =>
  `MINE=$(curl -s "$URL/auth/login" -H 'Content-Type: application/json' -d '{"provider":"email","email":"${name}@example.com","password":"correct horse"}' | at .accessToken)`
/** A person with a password, who is signed in. */
const signedIn = (name: string, role: string) =>
  `tidemark user create ${name}@example.com --name Ana --org $ORG --role ${role} --password 'correct horse'
${signIn(name)}`
const deadLetter = `${producer}
nats pub "ingest.billing.$ORG.a" '{}'
until ID=$(tidemark dead-letters list --org $ORG --json | at_top '[0].id'); do sleep 0.2; done`

export const decisions: Readonly<Record<string, readonly Decision[]>> = {
  'README.md': [
    skip('git clone', 'clones, and starts what runs here already'),
    run('export ORG=', { before: bills(1), words: { EMAIL: 'new@example.com' } }),
  ],
  'docs/actions.md': [
    run('curl -s "$URL/actions"', { before: machine, words: { 'i-1': '$MACHINE', '...': '$ACCOUNT' } }),
    skip('npm run -s tidemark -- executor create', 'runs an executor of your own, without end'),
  ],
  'docs/agents.md': [run('npm run -s tidemark -- pat create'), run('curl -s -X POST "$URL/mcp"')],
  'docs/allocation.md': [
    run('AUTH='),
    run('npm run -s tidemark -- policy preview', {
      before: `echo '{"domain":"allocation","name":"Team by tag","spec":{"priority":20,"teamFromTag":{"key":"team"}}}' > team.json`,
    }),
    run('curl -s "$URL/shared-cost/policies/preview"'),
  ],
  'docs/analytics.md': [
    run('npm run -s tidemark -- pat create'),
    run('FROM='),
    run('curl -s -u analyst:$ANALYST'),
    run('npm run -s tidemark -- analyst show'),
  ],
  'docs/anomalies.md': [
    run('curl -s "$URL/reports/anomalies?from', { before: token }),
    run('curl -s -X PATCH'),
    run('curl -s -X PATCH'),
    run('curl -s -X PUT', {
      before: `SINCE=$(node -p 'new Date(Date.now() - 30 * 864e5).toISOString().slice(0, 10)')
ID=$(get "/reports/anomalies?from=$SINCE&to=$(date -u +%F)" | at '.items[0].id')`,
      words: { '2026-03-31': '$(date -u +%F)' },
    }),
    run('curl -s "$URL/reports/anomalies?from'),
    run('curl -s "$URL/reports/anomalies/$ID"'),
  ],
  'docs/api.md': [run('curl -s')],
  'docs/autoscaling.md': [
    run('curl -s "$URL/autoscaler-policies/smart-defaults', {
      before: `${policy}
ACCOUNT=$(at '.items[0].cloudAccountID' <<< "$POLICIES"); FLEETS=$(get '/resources?type=aws-asg&limit=1')
TARGET=$(at '[0].uid' <<< "$FLEETS"); ACCOUNT=$(at '[0].cloudAccountID' <<< "$FLEETS")`,
      words: { 'asg-web': '$TARGET' },
    }),
    run('npm run -s tidemark -- autoscaler list', { words: { POLICY: '$POLICY' } }),
    run('curl -s "$URL/autoscaler-policies/what-if"', { words: { 'asg-web': '$TARGET' } }),
  ],
  'docs/back-up.md': [
    run('npm run -s tidemark -- backup', { words: { '/backups/2026-03-01': 'backup-1' } }),
    skip('npm run -s tidemark -- backup s3://', 'needs an object store: test/moto/backup-s3.test.ts has one'),
    skip('TIDEMARK_DATA_DIR=/srv/tidemark', 'restores into another folder: test/config/installation.test.ts does'),
    skip('npm run -s tidemark -- stores accept', 'accepts a store that was restored: none was'),
    run('npm run -s tidemark -- rebuild'),
  ],
  'docs/bill-uploads.md': [
    run('UP=$(curl', { before: bills(2) }),
    run('npm run -s tidemark -- bill list', {
      before: `EXPORTS="/billing/exports?cloud_account_id=acct-1&period=2026-01"
until EXPORT=$(get "$EXPORTS" | at '.items.find((one) => one.state === "shown").id'); do sleep 0.2; done 2> /dev/null
UP=$(curl -s -H "Authorization: Bearer $TOKEN" -F file=@cur-1.csv.gz -F file=@cur-2.csv.gz "$URL/billing/uploads?cloud_account_id=acct-1" | at .id)
curl -s -H "Authorization: Bearer $TOKEN" -X POST "$URL/billing/uploads/$UP/apply"
until NEWER=$(get "$EXPORTS" | at '.items.find((one) => one.state === "shown" && one.id !== "'$EXPORT'").id'); do sleep 0.2; done 2> /dev/null`,
      words: { 'bill remove EXPORT': 'bill remove "$NEWER" --yes', EXPORT: '$EXPORT' },
    }),
  ],
  'docs/budgets.md': [run('curl -s "$URL/budgets"')],
  'docs/client.md': [run('npm run -s tidemark -- client')],
  'docs/command-line.md': [run('npm run -s tidemark -- org create Acme'), run('npm run -s tidemark -- api GET')],
  'docs/comparisons.md': [run('curl -s')],
  'docs/configuration-files.md': [run('npm run -s tidemark -- policy export')],
  'docs/connect-aws.md': [
    run('npm run -s tidemark -- account policy', { words: { BILLS: 'bills' } }),
    skip('npm run -s tidemark -- account connect', needsCloud),
    run('npm run -s tidemark -- account check', { before: account('aws'), words: { ACCOUNT: '$ACCOUNT' } }),
  ],
  'docs/connect-azure.md': [
    run('npm run -s tidemark -- account policy', {
      words: { SUBSCRIPTION: '11111111-2222-3333-4444-555555555555', 'ACCOUNT/CONTAINER': 'bills/exports' },
    }),
    skip('npm run -s tidemark -- account connect', needsCloud),
    run('curl -s "$URL/cloud-accounts/guide/azure'),
    run('npm run -s tidemark -- account check', { before: account('azure'), words: { ACCOUNT: '$ACCOUNT' } }),
  ],
  'docs/connect-gcp.md': [
    run('npm run -s tidemark -- account policy'),
    skip('npm run -s tidemark -- account connect', needsCloud),
    run('npm run -s tidemark -- account policy'),
    run('npm run -s tidemark -- account check', { before: account('gcp'), words: { ACCOUNT: '$ACCOUNT' } }),
  ],
  'docs/drivers.md': [run('curl -s')],
  'docs/event-readiness.md': [
    run('curl -s "$URL/event-readiness"', {
      before: `${policy}
PLAN=$(curl -s "$URL/event-readiness" -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' -d '{
  "name": "Sale", "timezone": "Europe/Berlin", "expectedMultiplier": 2, "eventStart": "2031-11-29T14:00:00Z",
  "eventEnd": "2031-11-29T18:00:00Z", "preScaleMinutes": 30, "postEventMinutes": 45, "targets": [{"policyId": "'$POLICY'"}]}' | at .id)`,
      words: { POLICY: '$POLICY', PLAN: '$PLAN' },
    }),
    skip('curl -s "$URL/internal', 'is the call of an executor, while an event is on'),
  ],
  'docs/exports.md': [
    run('curl -s $URL/reports/export', { before: token }),
    run('curl -gs'),
    run('curl -s "$URL/reports/costs/series'),
    run('curl -s $URL/reports/export'),
  ],
  'docs/forecast.md': [run('curl -s')],
  'docs/identity.md': [
    run('curl -s "$URL/auth/login"', { before: signedIn('ana', 'admin'), words: { '...': 'correct horse' } }),
    run('npm run -s tidemark -- console'),
    skip('curl -s "$URL/auth/second-factor"', 'needs codes of an authenticator'),
    skip('curl -X PUT', needsIdentityProvider),
    skip('curl -X POST', needsIdentityProvider),
    skip('curl -X PUT', needsIdentityProvider),
    skip('curl -X POST', needsIdentityProvider),
    run('npm run -s tidemark -- user create', { words: { 'ana@example.com': 'gus@example.com' } }),
  ],
  'docs/import-bills.md': [run('npm run -s tidemark -- ingest billing', { before: bills(3) })],
  'docs/install.md': [
    run('export ORG=', { words: { EMAIL: 'newer@example.com' } }),
    skip('TIDEMARK_LANES=16', ofOperator),
    skip('P()', 'needs a Kubernetes cluster'),
    skip('docker buildx', 'needs a container engine'),
    skip('npm run -s tidemark -- chart', 'needs a Kubernetes cluster'),
  ],
  'docs/kubernetes.md': [
    run('AUTH='),
    run('nats -s $NATS', { before: `${producer}\nACCOUNT=acct-1` }),
    skip('npm run -s tidemark -- account policy kubernetes', 'needs a Kubernetes cluster'),
    skip('npm run -s tidemark -- account connect kubernetes', 'needs a Kubernetes cluster'),
    run('curl -s -X POST "$URL/kubernetes/sources"', { before: `${account('aws')}\nPROMETHEUS_TOKEN=secret` }),
  ],
  'docs/linked-accounts.md': [
    run('curl -s'),
    skip('curl -s -X POST', needsCloud),
    skip('curl -s -X PATCH', needsCloud),
  ],
  'docs/live.md': [
    run('curl -sN', { before: `curl() { command curl --fail-with-body --max-time 2 "$@" || [ $? = 28 ]; }` }),
  ],
  'docs/monitor.md': [run('curl -s "$URL/readyz"')],
  'docs/notifications.md': [
    run('HOOK=', { words: { 'https://hooks.slack.com/services/T000/B000/XXXX': '$RECEIVER' } }),
    run('curl -s "$URL/notifications/subscriptions/bulk"'),
    run('MAILBOX='),
    run('npm run -s tidemark -- notification list'),
    run('curl -s -X PUT', { before: signedIn('bea', 'viewer') }),
    run('curl -s -X PUT'),
    run('curl -s "$URL/notifications/deliveries'),
    skip('SECRET=', 'runs a receiver of your own, without end'),
  ],
  'docs/plan-cost.md': [
    run('terraform plan', {
      before: `terraform() { if [ "$1" = show ]; then cat "$REPOSITORY/test/config/plan-cost/aws.json"; fi; }`,
      words: { '--fail-above 100 ': '--fail-above 1000 ', '--fail-on-unknown ': '' },
    }),
  ],
  'docs/prices.md': [
    run('npm run -s tidemark -- prices refresh'),
    run('npm run -s tidemark -- prices check', {
      before: `printf 'kind,region,name,field,value\\nec2,eu-west-1,m5.large,usd_hour,0.0963\\n' | tee prices.csv > more.csv`,
    }),
  ],
  'docs/producers.md': [
    run('npm run -s tidemark -- producer create'),
    run('curl -s "$URL/resources'),
    run('npm install', { before: `${producer}\nnpm() { echo "npm $*"; }` }),
    skip(
      'pip install',
      'needs Python and a package registry; test/flows/producers.test.ts runs the program where nats-py is',
    ),
    skip(
      'cd docs/examples',
      'needs Go and a package registry; test/flows/producers.test.ts runs the program where nats.go is',
    ),
  ],
  'docs/provisioning.md': [
    run('curl -s "$URL/spaces"', {
      before: `${space}
ACCOUNT=$(get /cloud-accounts | at '.items.find((one) => one.externalID === "sim-aws-production").id')
JOB=$(get /provisioning-jobs | at '.items.find((one) => one.kind === "datastore").id')`,
      words: { ACCOUNT: '$ACCOUNT', SPACE: '$SPACE', JOB: '$JOB' },
    }),
    skip('curl -s "$URL/provisioning-jobs"', 'needs a server in RDS whose password RDS manages'),
    run('curl -s "$URL/provisioning-jobs/install-component"', { words: { SPACE: '$CLUSTER' } }),
  ],
  'docs/recommendations.md': [
    run('curl -s "$URL/recommendations?size=5"', {
      before: `ID=$(get '/recommendations?status=open' | at '.items[0].id')`,
    }),
    run('curl -s "$URL/policies"'),
  ],
  'docs/saved-views.md': [
    run('curl -s -X POST', {
      before: `${signedIn('cleo', 'admin')}\nTOKEN=$MINE; ID=$(get /saved-views | at '[0].id')`,
    }),
    run('curl -s -X POST', {
      before: `${signIn('cleo')}\nTOKEN=$MINE; ID=$(get /saved-views | at '[0].id')`,
    }),
  ],
  'docs/savings.md': [run('curl -s')],
  'docs/schedules.md': [
    run('curl -s "$URL/schedules"', { before: machine, words: { 'i-0a1b2c3d4e5f60718': '$MACHINE' } }),
    run('npm run -s tidemark -- schedule create', { words: { 'i-0a1b2c3d4e5f60718': '$MACHINE' } }),
    run('curl -s "$URL/overrides"', {
      before: `TOMORROW=$(node -p 'new Date(Date.now() + 864e5).toISOString()')`,
      words: { 'i-0a1b2c3d4e5f60718': '$MACHINE', '2030-01-07T22:00:00Z': '$TOMORROW' },
    }),
  ],
  'docs/secure.md': [skip('npm run -s tidemark -- saml', needsIdentityProvider)],
  'docs/series.md': [run('curl -gs')],
  'docs/streams.md': [
    run('npm run -s tidemark -- producer create', {
      before: `OTHER=$(tidemark producer create --org $ORG --json | at_top .id)`,
      words: { 'producer-0a1b2c3d4e5f': '$OTHER' },
    }),
    run('ACCOUNT='),
    run('SEND='),
    run('nats -s $CONSUMER', { before: 'CONSUMER=$(tidemark consumer create --org $ORG | head -1)' }),
    run('npm run -s tidemark -- dead-letters', { before: deadLetter, words: { '--id ID': '--id $ID' } }),
  ],
  'docs/tagging.md': [
    run('curl -s "$URL/autotagging', {
      before: `SUGGESTED=$(get '/autotagging?status=pending' | at_top '.items[0].resourceUid')`,
      words: { 'i-0a1b2c3d4e5f60718': '$SUGGESTED' },
    }),
    run('npm run -s tidemark -- tag suggestions', {
      before: `echo '{"domain":"tagging","name":"Location","spec":{"tag":{"key":"location","value":{"fields":["res.provider","res.region"],"join":"-","standardize":true}}}}' > location.json`,
    }),
  ],
  'docs/team-access.md': [
    run('AUTH=', { words: { 'ana@': 'gil@' } }),
    run('npm run -s tidemark -- user create', {
      words: { 'ana@example.com': `"gil@example.com --password 'correct horse'"` },
    }),
    run('ANA=', { before: signIn('gil'), words: { 'ana@': 'gil@' } }),
  ],
  'docs/tenants.md': [
    run('curl -X DELETE', {
      before: `ORG=$(tidemark org create Acme --json | at_top .id)\n${signedIn('dana', 'owner')}\nTOKEN=$MINE`,
    }),
    run('npm run -s tidemark -- org list'),
    run('npm run -s tidemark -- org delete'),
    run('curl -X DELETE', {
      before: `${signedIn('eva', 'viewer')}\nTOKEN=$MINE; tidemark user create finn@example.com --org $ORG --role viewer`,
      words: {
        'erase ana@example.com --confirm ana': 'erase finn@example.com --confirm finn',
        'ana@example.com': 'eva@example.com',
        '...': 'correct horse',
      },
    }),
  ],
  'docs/troubleshoot.md': [
    run('npm run -s tidemark -- doctor'),
    run('npm run -s tidemark -- dead-letters', { before: deadLetter, words: { '--id ID': '--id $ID' } }),
  ],
  'docs/unit-economics.md': [
    run('curl -s $URL/unit-metrics', { before: token }),
    run('curl -s $URL/unit-metric-values/$ID', {
      before: `ID=$(get /unit-metrics | at '.items.find((one) => one.key === "orders").id')`,
    }),
    skip('curl -s -X POST', 'needs a source of values of your own, from which they are pulled'),
    run('curl -s "$URL/reports/unit-economics'),
  ],
  'docs/upgrade.md': [skip('npm run -s tidemark -- upgrade undo', 'undoes an upgrade: there was none')],
  'docs/webhooks.md': [
    run('curl -s "$URL/deployments"', {
      before: `${space}\nDEPLOYMENT=$(get /deployments | at '.items[0].id')`,
      words: { SPACE: '$CLUSTER', DEPLOYMENT: '$DEPLOYMENT' },
    }),
    run('curl -s "$URL/source-installations"'),
    skip('git push', 'needs a repository at a Git host'),
    skip('curl -s "$CALLBACK_URL"', 'is the call of a builder, while it builds'),
  ],
  'docs/what-if.md': [
    run('curl -s "$URL/what-if"', { words: { '2026-01-01': '2026-01-31' } }),
    run('curl -s "$URL/what-if"'),
  ],
  'docs/workflows.md': [
    run('curl -s "$URL/recommendations/$ID/workflow"', {
      before: `SNAPSHOTS=$(get '/recommendations?status=open&rule_id=RC-1302'); one() { at ".items[$1].id" <<< "$SNAPSHOTS"; }
ID=$(one 0); JOB=$(get /workflows/pending-approval | at '[0].jobID')`,
    }),
    run('npm run -s tidemark -- workflow start', {
      before: `begin() { curl -s -X POST "$URL/recommendations/$(one $1)/workflow" -H "Authorization: Bearer $TOKEN" | at .jobID; }
APPROVED=$(begin 1); REJECTED=$(begin 2)`,
      words: {
        RECOMMENDATION: '$(one 3)',
        'approve --org $ORG --id ID': 'approve --org $ORG --id $APPROVED',
        'reject --org $ORG --id ID': 'reject --org $ORG --id $REJECTED',
      },
    }),
    skip('curl -s -X POST', 'approves a plan that has changed since it was made'),
    run('curl -s "$URL/policies"'),
    run('curl -s "$URL/policies"'),
  ],
}
