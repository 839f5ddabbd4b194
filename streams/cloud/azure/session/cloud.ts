/** The clouds of Azure: the public one and the sovereign ones, each with hosts and tenants of its own. */

interface AzureHosts {
  /** Issues tokens. */
  authority: string
  /** The resource manager: its address is also the audience of its tokens. */
  arm: string
  /** Audience of metrics; the host of a region is a name below it. */
  metrics: string
  logs: string
  /** Blobs of a storage account are at a name below this host. */
  blobs: string
  /** Databricks workspaces are at names below this host. */
  databricks: string
  /** Audience for which applications trust tokens of other issuers. */
  tokenExchange: string
  portal: string
}

/** By the names that `az cloud list` prints. */
export const azureClouds = {
  AzureCloud: {
    authority: 'https://login.microsoftonline.com',
    arm: 'https://management.azure.com',
    metrics: 'https://metrics.monitor.azure.com',
    logs: 'https://api.loganalytics.io',
    blobs: 'blob.core.windows.net',
    databricks: 'azuredatabricks.net',
    tokenExchange: 'api://AzureADTokenExchange',
    portal: 'https://portal.azure.com',
  },
  AzureUSGovernment: {
    authority: 'https://login.microsoftonline.us',
    arm: 'https://management.usgovcloudapi.net',
    metrics: 'https://metrics.monitor.azure.us',
    logs: 'https://api.loganalytics.us',
    blobs: 'blob.core.usgovcloudapi.net',
    databricks: 'databricks.azure.us',
    tokenExchange: 'api://AzureADTokenExchangeUSGov',
    portal: 'https://portal.azure.us',
  },
  AzureChinaCloud: {
    authority: 'https://login.chinacloudapi.cn',
    arm: 'https://management.chinacloudapi.cn',
    metrics: 'https://metrics.monitor.azure.cn',
    logs: 'https://api.loganalytics.azure.cn',
    blobs: 'blob.core.chinacloudapi.cn',
    databricks: 'databricks.azure.cn',
    tokenExchange: 'api://AzureADTokenExchangeChina',
    portal: 'https://portal.azure.cn',
  },
} as const satisfies Record<string, AzureHosts>

export type AzureCloud = keyof typeof azureClouds
export const azureCloudNames = Object.keys(azureClouds) as AzureCloud[]
export const publicCloud: AzureCloud = 'AzureCloud'
