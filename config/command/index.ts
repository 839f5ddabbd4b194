import { accountCommands } from '#config/command/account.ts'
import { actionCommands } from '#config/command/action.ts'
import { analystRightsCommand } from '#config/command/analyst.ts'
import { autoscalerCommands } from '#config/command/autoscaler.ts'
import { billCommands } from '#config/command/bill.ts'
import { chartCommand } from '#config/command/chart.ts'
import { clientCommand } from '#config/command/client.ts'
import type { Command } from '#config/command/command.ts'
import { configCommands } from '#config/command/config.ts'
import { consoleCommand } from '#config/command/console.ts'
import { deadLettersList, deadLettersReplay } from '#config/command/dead-letters.ts'
import { demoTour } from '#config/command/demo.ts'
import { deploymentCommands } from '#config/command/deployment.ts'
import { installationCommands } from '#config/command/deployment-installation.ts'
import { doctor } from '#config/command/doctor.ts'
import { ingestBilling } from '#config/command/ingest-billing.ts'
import { ingestMetrics, ingestResources } from '#config/command/ingest-files.ts'
import { keysRotate } from '#config/command/keys.ts'
import { laneProcess } from '#config/command/lane-process.ts'
import { mcpCommand } from '#config/command/mcp.ts'
import { notificationCommands } from '#config/command/notification.ts'
import { orgCommands } from '#config/command/org.ts'
import { patCreate, patList, patRevoke } from '#config/command/pat.ts'
import { personCommands } from '#config/command/person.ts'
import { planCommands } from '#config/command/plan.ts'
import { planCostCommand } from '#config/command/plan-cost.ts'
import { policyCommands } from '#config/command/policy.ts'
import { provisioningCommands } from '#config/command/provisioning.ts'
import { recommendationCommands } from '#config/command/recommendation.ts'
import { pricesCommands } from '#config/command/prices.ts'
import { samlDomains, samlVerifyDomain } from '#config/command/saml.ts'
import { scheduleCommands } from '#config/command/schedule.ts'
import { start } from '#config/command/start.ts'
import { storesAccept } from '#config/command/stores.ts'
import { natsAccounts, streamUserCommands } from '#config/command/stream-user.ts'
import { tagCommands } from '#config/command/tag.ts'
import { upgradeUndo } from '#config/command/upgrade.ts'
import { userCreate, userResetPassword, userResetSecondFactor } from '#config/command/user.ts'
import { workflowCommands } from '#config/command/workflow.ts'

export const commands: readonly Command[] = [
  start,
  demoTour,
  laneProcess,
  ...configCommands,
  ...orgCommands,
  ...personCommands,
  patCreate,
  patList,
  patRevoke,
  userCreate,
  userResetPassword,
  consoleCommand,
  mcpCommand,
  clientCommand,
  chartCommand,
  ...streamUserCommands,
  natsAccounts,
  userResetSecondFactor,
  keysRotate,
  samlDomains,
  samlVerifyDomain,
  ingestBilling,
  ingestMetrics,
  ingestResources,
  ...billCommands,
  ...accountCommands,
  ...scheduleCommands,
  ...actionCommands,
  ...notificationCommands,
  ...planCommands,
  planCostCommand,
  ...policyCommands,
  ...tagCommands,
  ...recommendationCommands,
  ...workflowCommands,
  ...autoscalerCommands,
  ...provisioningCommands,
  ...deploymentCommands,
  ...installationCommands,
  ...pricesCommands,
  deadLettersList,
  deadLettersReplay,
  analystRightsCommand,
  doctor,
  storesAccept,
  upgradeUndo,
]
