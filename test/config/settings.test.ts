import { shardAddresses } from '#config/settings/settings-store.ts'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { root } from '#config/process/root.ts'
import { readSettings, settings } from '#config/settings/settings.ts'
import { envExample, settingsTable } from '#config/settings/settings-document.ts'

const declared = Object.values(settings)

/** A value each setting refuses, and what it says of it; those that take any text are not here. */
const wrong: Record<string, readonly [value: string, complaint: string]> = {
  PORT: ['70000', 'PORT=70000 must be a whole number from 0 to 65535'],
  TIDEMARK_METRICS_PORT: ['-1', 'TIDEMARK_METRICS_PORT=-1 must be a whole number from 0 to 65535'],
  PUBLIC_URL: ['ftp://x', 'PUBLIC_URL must be a URL starting with http:// or https://'],
  TIDEMARK_URL: ['ftp://x', 'TIDEMARK_URL must be a URL starting with http:// or https://'],
  TIDEMARK_ROLE: ['engines', 'TIDEMARK_ROLE=engines must be one of all, engine, edge'],
  TIDEMARK_DEMO: ['yes', 'TIDEMARK_DEMO=yes must be 0 or 1'],
  TIDEMARK_TEST_HOOKS: ['true', 'TIDEMARK_TEST_HOOKS=true must be 0 or 1'],
  POSTGRES_URL: ['mysql://h/d', 'POSTGRES_URL must be a URL starting with postgres:// or postgresql://'],
  NATS_URL: ['nats://a:4222,b:4222', 'NATS_URL must be a URL starting with nats:// or tls:// or ws:// or wss://'],
  CLICKHOUSE_URL: ['tcp://h:9000', 'CLICKHOUSE_URL must be a URL starting with http:// or https:// or http+unix://'],
  BACKUP_ENDPOINT: ['s3://b', 'BACKUP_ENDPOINT=s3://b must be a URL starting with http:// or https://'],
  CLICKHOUSE_REPLICATED: ['yes', 'CLICKHOUSE_REPLICATED=yes must be 0 or 1'],
  CLICKHOUSE_SHARDS: [
    'a=http://a:8123,main=http://b:8123',
    'CLICKHOUSE_SHARDS must not name main, which is the server of CLICKHOUSE_URL',
  ],
  CLICKHOUSE_ANALYSTS_URL: ['ch', 'CLICKHOUSE_ANALYSTS_URL must be a URL starting with http:// or https://'],
  TIDEMARK_ANALYSTS_PORT: ['70000', 'TIDEMARK_ANALYSTS_PORT=70000 must be a whole number from 0 to 65535'],
  TIDEMARK_STORES_WAIT: ['-1', 'TIDEMARK_STORES_WAIT=-1 must be a whole number from 0 to 3600'],
  TIDEMARK_LANES: ['0', 'TIDEMARK_LANES=0 must be a whole number from 1 to 256'],
  TIDEMARK_LANE_PROCESSES: ['33', 'TIDEMARK_LANE_PROCESSES=33 must be a whole number from 1 to 32'],
  TIDEMARK_STREAM_REPLICAS: ['6', 'TIDEMARK_STREAM_REPLICAS=6 must be a whole number from 1 to 5'],
  TIDEMARK_LANE_BYTES: ['1kB', 'TIDEMARK_LANE_BYTES=1kB must be a whole number from 1048576 to 1125899906842624'],
  BILL_UPLOAD_BYTES: ['10', 'BILL_UPLOAD_BYTES=10 must be a whole number from 1024 to 1125899906842624'],
  TIDEMARK_REPLACED_BILLS_KEEP: ['0', 'TIDEMARK_REPLACED_BILLS_KEEP=0 must be a whole number from 1 to 840'],
  TIDEMARK_LANE_KEEP: ['1.5', 'TIDEMARK_LANE_KEEP=1.5 must be a whole number from 0 to 1000000000000'],
  TIDEMARK_BATCH_MESSAGES: ['0', 'TIDEMARK_BATCH_MESSAGES=0 must be a whole number from 1 to 100000'],
  TIDEMARK_ECHOES: ['-1', 'TIDEMARK_ECHOES=-1 must be a whole number from 0 to 10000000'],
  TIDEMARK_ACTIVATIONS: ['99', 'TIDEMARK_ACTIVATIONS=99 must be a whole number from 100 to 10000000'],
  ANSWER_CACHE_MIB: ['1.5', 'ANSWER_CACHE_MIB=1.5 must be a whole number from 0 to 65536'],
  TIDEMARK_LEASE_MS: ['499', 'TIDEMARK_LEASE_MS=499 must be a whole number from 500 to 600000'],
  INGEST_MESSAGES_PER_MINUTE: ['-1', 'INGEST_MESSAGES_PER_MINUTE=-1 must be a whole number from 0 to 1000000000000'],
  INGEST_BYTES_PER_MINUTE: ['1GB', 'INGEST_BYTES_PER_MINUTE=1GB must be a whole number from 0 to 1125899906842624'],
  DEAD_LETTERS_KEEP_DAYS: ['0', 'DEAD_LETTERS_KEEP_DAYS=0 must be a whole number from 1 to 3650'],
  DEAD_LETTERS_KEEP_BYTES: ['1', 'DEAD_LETTERS_KEEP_BYTES=1 must be a whole number from 1048576 to 1125899906842624'],
  REPORT_COST: ['list', 'REPORT_COST=list must be one of billed, effective'],
  REPORT_SAVINGS: ['observed', 'REPORT_SAVINGS=observed must be one of reported, verified'],
  SECURITY_CONTACT: [
    'security@acme.example',
    'SECURITY_CONTACT=security@acme.example must be URLs starting with mailto:, https:// or tel:, separated by commas',
  ],
  EGRESS_CIDRS: ['10.0.0.1', 'EGRESS_CIDRS=10.0.0.1 must be CIDR blocks, separated by commas'],
  ALLOW_PRIVATE_ADDRESSES: ['yes', 'ALLOW_PRIVATE_ADDRESSES=yes must be 0 or 1'],
  ALLOW_INSECURE_WEBHOOKS: ['true', 'ALLOW_INSECURE_WEBHOOKS=true must be 0 or 1'],
  CREDENTIALS_KEY: ['c2hvcnQ=', 'CREDENTIALS_KEY must be 32 bytes in base64; several keys are separated by commas'],
  INTERNAL_TOKEN_SECRET: ['short', 'INTERNAL_TOKEN_SECRET must have at least 32 characters'],
  SECURITY_EVENTS_KEEP_DAYS: ['29', 'SECURITY_EVENTS_KEEP_DAYS=29 must be a whole number from 30 to 3650'],
  APP_URL: ['app', 'APP_URL must be a URL starting with http:// or https://'],
  OPERATOR_WEBHOOK_URL: ['ftp://h', 'OPERATOR_WEBHOOK_URL must be a URL starting with http:// or https://'],
  CHANNEL_MESSAGES_PER_SECOND: ['1001', 'CHANNEL_MESSAGES_PER_SECOND=1001 must be a whole number from 0 to 1000'],
  NOTIFICATIONS_PER_SECOND: ['-1', 'NOTIFICATIONS_PER_SECOND=-1 must be a whole number from 0 to 100000'],
  SMTP_URL: ['http://h', 'SMTP_URL must be a URL starting with smtp:// or smtps://'],
  GOOGLE_ISSUER: ['google', 'GOOGLE_ISSUER=google must be a URL starting with http:// or https://'],
  GITHUB_URL: ['github', 'GITHUB_URL must be a URL starting with http:// or https://'],
  GITHUB_API_URL: ['github', 'GITHUB_API_URL must be a URL starting with http:// or https://'],
  TRUSTED_PROXIES: ['11', 'TRUSTED_PROXIES=11 must be a whole number from 0 to 10'],
  SIGN_UP: ['anyone', 'SIGN_UP=anyone must be one of open, invited, closed'],
  ORGANIZATIONS_PER_PERSON: ['-1', 'ORGANIZATIONS_PER_PERSON=-1 must be a whole number from 0 to 1000000'],
  ORGANIZATIONS_PER_DAY: ['x', 'ORGANIZATIONS_PER_DAY=x must be a whole number from 0 to 1000000'],
  PERSON_RATE_LIMIT: ['-1', 'PERSON_RATE_LIMIT=-1 must be a whole number from 0 to 1000000'],
  REPORTS_AT_ONCE: ['1', 'REPORTS_AT_ONCE=1 must be a whole number from 2 to 1000'],
  EXPORTS_AT_ONCE: ['-1', 'EXPORTS_AT_ONCE=-1 must be a whole number from 0 to 1000000'],
  EXPORTS_PER_HOUR: ['x', 'EXPORTS_PER_HOUR=x must be a whole number from 0 to 1000000'],
  EXPORT_BYTES_KEPT: ['5GB', 'EXPORT_BYTES_KEPT=5GB must be a whole number from 1048576 to 1125899906842624'],
  EXPORT_DISK_PERCENT: ['0', 'EXPORT_DISK_PERCENT=0 must be a whole number from 1 to 100'],
  IDEMPOTENT_ANSWERS_KEPT: ['-1', 'IDEMPOTENT_ANSWERS_KEPT=-1 must be a whole number from 0 to 100000000'],
  IDEMPOTENT_BYTES_KEPT: ['1', 'IDEMPOTENT_BYTES_KEPT=1 must be a whole number from 1048576 to 1125899906842624'],
  METRIC_SAMPLES_KEEP_DAYS: ['-1', 'METRIC_SAMPLES_KEEP_DAYS=-1 must be a whole number from 0 to 36500'],
  METRIC_HOURS_KEEP_MONTHS: ['1201', 'METRIC_HOURS_KEEP_MONTHS=1201 must be a whole number from 0 to 1200'],
  KUBERNETES_HOURS_KEEP_DAYS: ['x', 'KUBERNETES_HOURS_KEEP_DAYS=x must be a whole number from 0 to 36500'],
  KUBERNETES_DAYS_KEEP_MONTHS: ['x', 'KUBERNETES_DAYS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  COST_LINES_KEEP: ['13m', 'COST_LINES_KEEP=13m must be a whole number from 0 to 1200'],
  RESOURCE_CHANGES_KEEP_MONTHS: ['x', 'RESOURCE_CHANGES_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  ACTION_SUBMISSIONS_KEEP_MONTHS: ['x', 'ACTION_SUBMISSIONS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  SCHEDULER_EVENTS_KEEP_MONTHS: ['x', 'SCHEDULER_EVENTS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  UNIT_METRICS_KEEP_MONTHS: ['x', 'UNIT_METRICS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  ANOMALIES_KEEP_MONTHS: ['x', 'ANOMALIES_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  OVERRIDES_KEEP_MONTHS: ['x', 'OVERRIDES_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  SOURCE_DELIVERIES_KEEP_DAYS: ['x', 'SOURCE_DELIVERIES_KEEP_DAYS=x must be a whole number from 0 to 36500'],
  REVISIONS_KEEP_MONTHS: ['x', 'REVISIONS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  PROVISIONING_JOBS_KEEP_MONTHS: ['x', 'PROVISIONING_JOBS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  READINESS_PLANS_KEEP_MONTHS: ['x', 'READINESS_PLANS_KEEP_MONTHS=x must be a whole number from 0 to 1200'],
  RATE_LIMIT: ['-1', 'RATE_LIMIT=-1 must be a whole number from 0 to 1000000'],
  RATE_LIMIT_BURST: ['0', 'RATE_LIMIT_BURST=0 must be a whole number from 1 to 1000000'],
  AUTH_RATE_LIMIT: ['x', 'AUTH_RATE_LIMIT=x must be a whole number from 0 to 1000000'],
  INBOUND_RATE_LIMIT: ['x', 'INBOUND_RATE_LIMIT=x must be a whole number from 0 to 1000000'],
  GITLAB_WEBHOOK_SECRET: ['whsec_', 'GITLAB_WEBHOOK_SECRET must be whsec_ followed by a base64 key'],
  BUILD_CALLBACK_SECRET: ['1234567', 'BUILD_CALLBACK_SECRET must have at least 8 characters'],
  SOURCE_LINKS: ['closed', 'SOURCE_LINKS=closed must be one of open, proven'],
  OUTSIDE_MAILS_PER_DAY: ['x', 'OUTSIDE_MAILS_PER_DAY=x must be a whole number from 0 to 1000000'],
  OUTSIDE_MAILS_PER_ORGANIZATION: ['x', 'OUTSIDE_MAILS_PER_ORGANIZATION=x must be a whole number from 0 to 1000000'],
  OUTSIDE_MAILS_PER_RECIPIENT: ['x', 'OUTSIDE_MAILS_PER_RECIPIENT=x must be a whole number from 0 to 1000000'],
  SOURCE_API_URL: ['github', 'SOURCE_API_URL must be a URL starting with http:// or https://'],
  CLOUD_DRIVER: ['fake', 'CLOUD_DRIVER=fake must be one of simulated, real'],
  AWS_ENDPOINT: ['aws', 'AWS_ENDPOINT=aws must be a URL starting with http:// or https://'],
  GCP_ENDPOINT: ['gcp', 'GCP_ENDPOINT=gcp must be a URL starting with http:// or https://'],
  AZURE_ENDPOINT: ['azure', 'AZURE_ENDPOINT=azure must be a URL starting with http:// or https://'],
  AZURE_MANAGED_IDENTITIES: [
    'org-1:tidemark',
    'AZURE_MANAGED_IDENTITIES=org-1:tidemark must be ORG:CLIENT-ID, separated by commas; a client ID is a GUID',
  ],
  EXECUTOR: ['other', 'EXECUTOR=other must be one of embedded, stream'],
  LOG_LEVEL: ['loud', 'LOG_LEVEL=loud must be one of trace, debug, info, warn, error, fatal, silent'],
}
const anyText = [
  'AZURE_FEDERATED_ORG',
  'GCP_ATTACHED_IDENTITY_ORG',
  'KUBERNETES_IN_CLUSTER_ORG',
  'AZURE_FEDERATED_TOKEN_FILE',
  'AZURE_TENANT_ID',
  'AZURE_CLIENT_ID',
  'AZURE_CLIENT_SECRET',
  'GOOGLE_APPLICATION_CREDENTIALS',
  'PROVISIONING_NOTIFY',
  'REMEDIATION_NOTIFY_TERMINAL',
  'TIDEMARK_ANALYSTS_HOST',
  'TIDEMARK_DATA_DIR',
  'HOST',
  'TIDEMARK_METRICS_HOST',
  'NATS_SERVER_BIN',
  'PATH',
  'MAIL_FROM',
  'GOOGLE_CLIENT_IDS',
  'GITHUB_CLIENT_ID',
  'GITHUB_CLIENT_SECRET',
  'EXPORTS_DIR',
  'CORS_ORIGINS',
  'SIMULATION_SEED',
  'SIMULATION_DIR',
  'TIDEMARK_CRASH_AT',
  'SOURCE_APP_WEBHOOK_SECRET',
  'SOURCE_APP_WEBHOOK_SECRET_PREVIOUS',
  'BITBUCKET_WEBHOOK_SECRET',
  'AZURE_DEVOPS_WEBHOOK_SECRET',
  'SOURCE_API_TOKEN',
  'TIDEMARK_TOKEN',
  'TIDEMARK_PROFILE',
  'BACKUP_REGION',
  'BACKUP_ACCESS_KEY_ID',
  'BACKUP_SECRET_ACCESS_KEY',
  'XDG_CONFIG_HOME',
]

describe('settings', () => {
  for (const { name, about, unit, fallback } of declared) {
    it(`${name} has a default, a unit and one sentence`, () => {
      expect(name).to.match(/^[A-Z][A-Z_]+$/)
      expect(about).to.match(/^[A-Z][^\n]*[^.]\.$/)
      expect(about).not.to.match(/\. [A-Z]/)
      expect(unit !== '', 'numbers have a unit, others none').to.equal(typeof fallback === 'number')
    })
  }

  it('have names of their own', () => {
    expect(new Set(declared.map(({ name }) => name)).size).to.equal(declared.length)
    expect([...Object.keys(wrong), ...anyText]).to.have.members(declared.map(({ name }) => name))
  })

  for (const [name, [value, complaint]] of Object.entries(wrong)) {
    it(`a wrong ${name} stops the start with a message that names it and says what it must be`, () => {
      expect(() => readSettings({ [name]: value })).to.throw(
        Error,
        new RegExp(`^Invalid settings:\n  ${escape(complaint)}$`),
      )
    })
  }

  it('CLICKHOUSE_SHARDS gives each server a name, and never shows a password', () => {
    const wrong = {
      'http://a:8123': 'must be NAME=ADDRESS, separated by commas; names have 1 to 32 of a-z, 0-9 and -',
      'A=http://a:8123': 'must be NAME=ADDRESS, separated by commas; names have 1 to 32 of a-z, 0-9 and -',
      'a=a:8123': 'must be a URL starting with http:// or https:// or http+unix://',
      'a=http://u:secret@a:8123,a=http://b:8123': 'must not name a twice',
    }
    for (const [value, complaint] of Object.entries(wrong))
      expect(() => readSettings({ CLICKHOUSE_SHARDS: value })).to.throw(
        Error,
        new RegExp(`^Invalid settings:\n  ${escape(`CLICKHOUSE_SHARDS ${complaint}`)}$`),
      )
    const { clickhouseShards } = readSettings({ CLICKHOUSE_SHARDS: 'a=http://u:p=1@a:8123/x, b-2=https://b' })
    expect([...shardAddresses(clickhouseShards)]).to.deep.equal([
      ['a', 'http://u:p=1@a:8123/x'],
      ['b-2', 'https://b'],
    ])
  })

  it('all that are wrong are named at once', () => {
    expect(() => readSettings({ PORT: 'x', TIDEMARK_LANES: '300', LOG_LEVEL: 'info' })).to.throw(
      'Invalid settings:\n  PORT=x must be a whole number from 0 to 65535\n  TIDEMARK_LANES=300 must be a whole number from 1 to 256',
    )
  })

  it('a complaint never holds a password or a key', () => {
    const secret = { POSTGRES_URL: 'mysql://u:hunter2@h/d', CREDENTIALS_KEY: 'hunter2' }
    expect(() => readSettings(secret))
      .to.throw(Error)
      .with.property('message')
      .that.does.not.include('hunter2')
  })

  it('an empty environment, and empty variables, give the defaults', () => {
    const defaults = {
      dataDir: path.join(root, 'data'),
      host: '127.0.0.1',
      port: 8080,
      metricsPort: 0,
      metricsHost: '127.0.0.1',
      publicUrl: undefined,
      role: 'all',
      demo: true,
      testHooks: false,
      postgresUrl: undefined,
      natsUrl: undefined,
      clickhouseUrl: undefined,
      clickhouseReplicated: false,
      clickhouseShards: [],
      clickhouseAnalystsUrl: undefined,
      analystsHost: '127.0.0.1',
      analystsPort: 0,
      operatorWebhookUrl: undefined,
      channelPace: 1,
      notificationPace: 10,
      natsServerBin: undefined,
      searchPath: '',
      lanes: 16,
      laneProcesses: 1,
      streamReplicas: undefined,
      laneBytes: 8_589_934_592,
      laneKeep: 1_000_000,
      replacedBillsKeep: 48,
      backupEndpoint: undefined,
      backupRegion: 'us-east-1',
      backupAccessKeyId: undefined,
      backupSecretAccessKey: undefined,
      metricSamplesKeep: 14,
      metricHoursKeep: 13,
      kubernetesHoursKeep: 45,
      kubernetesDaysKeep: 13,
      costLinesKeep: 0,
      resourceChangesKeep: 24,
      actionsKeep: 24,
      schedulerEventsKeep: 13,
      unitMetricsKeep: 36,
      anomaliesKeep: 36,
      overridesKeep: 13,
      sourceDeliveriesKeep: 90,
      revisionsKeep: 13,
      provisioningJobsKeep: 13,
      readinessPlansKeep: 13,
      billUploadBytes: 5 * 1024 ** 3,
      batchMessages: 5000,
      activations: 20_000,
      echoes: 100_000,
      answerCache: 32,
      leaseMs: 6000,
      ingestMessages: 1_000_000,
      ingestBytes: 4_294_967_296,
      deadLettersKeepDays: 30,
      deadLettersKeepBytes: 1_073_741_824,
      reportCost: 'billed',
      reportSavings: 'reported',
      egressCidrs: [],
      allowInsecureWebhooks: false,
      allowPrivateAddresses: false,
      credentialsKey: undefined,
      internalTokenSecret: undefined,
      securityEventsKeep: 730,
      exportsDir: undefined,
      appUrl: undefined,
      securityContacts: [],
      smtpUrl: undefined,
      mailFrom: 'Tidemark <no-reply@localhost>',
      outsideMails: 1000,
      outsideMailsOfOrganization: 100,
      outsideMailsOfRecipient: 10,
      googleIssuer: 'https://accounts.google.com',
      googleClientIds: [],
      githubUrl: 'https://github.com',
      githubApiUrl: 'https://api.github.com',
      githubClientId: undefined,
      githubClientSecret: undefined,
      corsOrigins: [],
      trustedProxies: 0,
      signUp: undefined,
      organizationsOwned: 3,
      organizationsPerDay: 10,
      rateLimit: 600,
      rateLimitBurst: 120,
      personRateLimit: undefined,
      reportsAtOnce: 10,
      exportsAtOnce: 3,
      exportsPerHour: 20,
      exportBytes: 5_368_709_120,
      exportDisk: 20,
      idempotentAnswers: 200_000,
      idempotentBytes: 268_435_456,
      authRateLimit: 20,
      inboundRateLimit: 600,
      cloudDriver: undefined,
      awsEndpoint: undefined,
      gcpEndpoint: undefined,
      azureEndpoint: undefined,
      azureFederatedOrg: undefined,
      azureManagedIdentities: [],
      gcpAttachedIdentityOrg: undefined,
      kubernetesInClusterOrg: undefined,
      azureFederatedTokenFile: undefined,
      azureTenant: undefined,
      azureClient: undefined,
      azureClientSecret: undefined,
      googleCredentials: undefined,
      sourceSecret: undefined,
      sourceSecretPrevious: undefined,
      gitlabSecret: undefined,
      bitbucketSecret: undefined,
      azureDevopsSecret: undefined,
      sourceApiUrl: undefined,
      sourceLinks: undefined,
      sourceApiToken: undefined,
      buildCallbackSecret: undefined,
      executor: 'embedded',
      notifyTerminal: false,
      notifyProvisioning: false,
      token: undefined,
      remoteUrl: undefined,
      profile: undefined,
      configHome: '',
      simulationSeed: 'tidemark',
      simulationDir: undefined,
      storesWait: 60,
      logLevel: 'warn',
      crashAt: undefined,
    }
    expect(readSettings({})).to.deep.equal(defaults)
    expect(readSettings({ PORT: '', POSTGRES_URL: '' })).to.deep.equal(defaults)
  })

  it('are read as what they count', () => {
    const read = readSettings({
      PORT: '0',
      TIDEMARK_DEMO: '0',
      EGRESS_CIDRS: ' 198.51.100.10/32, 2001:db8::/32 ,',
      NATS_URL: 'nats://a:4222,nats://b:4222',
      TIDEMARK_DATA_DIR: 'some/../where',
    })
    expect(read).to.deep.include({
      port: 0,
      demo: false,
      egressCidrs: ['198.51.100.10/32', '2001:db8::/32'],
      natsUrl: 'nats://a:4222,nats://b:4222',
      dataDir: path.resolve('where'),
    })
  })

  it('are all in the table of the guide, as they are declared', () => {
    const text = readFileSync(path.join(root, 'docs/configure.md'), 'utf8')
    const [, block] = /<!-- settings -->\n([^]*?)\n<!-- \/settings -->/.exec(text) ?? []
    expect(block, 'npm run generate').to.equal(settingsTable())
    expect(block).to.include('| `PORT` | 8080 (port) | Port the edge listens on; 0 means any free port. |')
  })

  it('are all in .env.example, each as a comment with its default', () => {
    const text = readFileSync(path.join(root, '.env.example'), 'utf8')
    expect(text, 'npm run generate').to.equal(envExample())
    const listed = [...text.matchAll(/^#([A-Z_]+)=/gm)].map(([, name]) => name)
    expect(listed).to.have.members(declared.map(({ name }) => name).filter((name) => name !== 'PATH'))
    expect(text).to.include('\n#PORT=8080\n').and.to.include("\n#MAIL_FROM='Tidemark <no-reply@localhost>'\n")
    expect(text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))).to.deep.equal([])
  })
})

const escape = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
