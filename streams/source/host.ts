/** Hosts of sources whose webhooks are taken. */
export const sourceHosts = ['github', 'gitlab', 'bitbucket', 'azure-devops'] as const
export type SourceHost = (typeof sourceHosts)[number]
