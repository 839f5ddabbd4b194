/** How `tidemark help` groups the commands: by task, in the order of a first day. */
export const topics: readonly { title: string; groups: readonly string[] }[] = [
  {
    title: 'Run and operate',
    groups: [
      'start',
      'demo',
      'console',
      'config',
      'doctor',
      'dead-letters',
      'keys',
      'lane-process',
      'stores',
      'upgrade',
      'chart',
    ],
  },
  { title: 'Organizations and access', groups: ['org', 'user', 'person', 'pat', 'saml'] },
  { title: 'Accounts, bills and costs', groups: ['account', 'ingest', 'bill', 'tag', 'policy', 'prices', 'plan-cost'] },
  {
    title: 'Savings and automation',
    groups: ['recommendations', 'workflow', 'action', 'schedule', 'autoscaler', 'plan', 'notification'],
  },
  {
    title: 'Provisioning and deployments',
    groups: ['space', 'provisioning', 'deployment', 'installation', 'repository'],
  },
  {
    title: 'Integrations',
    groups: ['producer', 'consumer', 'executor', 'builder', 'nats', 'analyst', 'api', 'client', 'mcp'],
  },
]
