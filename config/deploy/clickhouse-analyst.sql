-- A user who may read one organization and nothing else. Run as a user with access management, with the organization's id
-- for ORG and a password for PASSWORD. The database is tidemark and so is the service's user.
-- Printed by `tidemark analyst rights` from the tables and views there are.
--
-- The views run with the rights of whoever asks (SQL SECURITY INVOKER, the default), so the policies stand on the tables
-- below them. Once a table has a policy, who has none there may see no row: these keep the service seeing all of them.
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_fact USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.metric_sample USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.resource_state USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_daily_slot USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_day USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_service_daily_slot USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.security_event USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.team_state USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.team_assignment USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.resource_group_state USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.resource_group_member USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.accepted_tag USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.billed_tag USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.closed_assignment USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.snapshot_state USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.saving_daily USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.unit_metric_value USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_day_kept USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.cost_daily_kept USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.anomaly_state USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.scheduler_event USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.resource_change USING 1 TO tidemark;
CREATE ROW POLICY OR REPLACE service ON tidemark.bill_line USING 1 TO tidemark;

-- readonly = 1 refuses settings too: a driver that must set some needs 2.
CREATE SETTINGS PROFILE OR REPLACE analyst
  SETTINGS readonly = 1, max_execution_time = 10, max_memory_usage = 1073741824, max_result_rows = 100000, max_threads = 2;
CREATE ROLE OR REPLACE analyst SETTINGS PROFILE 'analyst';
GRANT SELECT ON tidemark.cost_row TO analyst;
GRANT SELECT ON tidemark.bill_at TO analyst;
GRANT SELECT ON tidemark.cost_lines TO analyst;
GRANT SELECT ON tidemark.cost_lines_at TO analyst;
GRANT SELECT ON tidemark.cost_daily TO analyst;
GRANT SELECT ON tidemark.cost_service_daily TO analyst;
GRANT SELECT ON tidemark.cost_at TO analyst;
GRANT SELECT ON tidemark.resource_tags TO analyst;
GRANT SELECT ON tidemark.team_assignments TO analyst;
GRANT SELECT ON tidemark.tagged_resources TO analyst;
GRANT SELECT ON tidemark.cost_slice TO analyst;
GRANT SELECT ON tidemark.cost_slice_tagged TO analyst;
GRANT SELECT ON tidemark.cost_slice_invoiced TO analyst;
GRANT SELECT ON tidemark.resource_slice TO analyst;
GRANT SELECT ON tidemark.present_resources TO analyst;
GRANT SELECT ON tidemark.resource_costs TO analyst;
GRANT SELECT ON tidemark.metric_samples TO analyst;
GRANT SELECT ON tidemark.unit_metric_values TO analyst;
GRANT SELECT ON tidemark.resources TO analyst;
GRANT SELECT ON tidemark.anomalies TO analyst;
GRANT SELECT ON tidemark.security_events TO analyst;
GRANT SELECT ON tidemark.cost_fact TO analyst;
GRANT SELECT ON tidemark.metric_sample TO analyst;
GRANT SELECT ON tidemark.resource_state TO analyst;
GRANT SELECT ON tidemark.cost_daily_slot TO analyst;
GRANT SELECT ON tidemark.cost_day TO analyst;
GRANT SELECT ON tidemark.cost_service_daily_slot TO analyst;
GRANT SELECT ON tidemark.security_event TO analyst;
GRANT SELECT ON tidemark.team_state TO analyst;
GRANT SELECT ON tidemark.team_assignment TO analyst;
GRANT SELECT ON tidemark.resource_group_state TO analyst;
GRANT SELECT ON tidemark.resource_group_member TO analyst;
GRANT SELECT ON tidemark.accepted_tag TO analyst;
GRANT SELECT ON tidemark.billed_tag TO analyst;
GRANT SELECT ON tidemark.closed_assignment TO analyst;
GRANT SELECT ON tidemark.snapshot_state TO analyst;
GRANT SELECT ON tidemark.saving_daily TO analyst;
GRANT SELECT ON tidemark.unit_metric_value TO analyst;
GRANT SELECT ON tidemark.cost_day_kept TO analyst;
GRANT SELECT ON tidemark.cost_daily_kept TO analyst;
GRANT SELECT ON tidemark.anomaly_state TO analyst;
GRANT SELECT ON tidemark.scheduler_event TO analyst;
GRANT SELECT ON tidemark.resource_change TO analyst;
GRANT SELECT ON tidemark.bill_line TO analyst;

-- For each organization:
CREATE USER OR REPLACE `analyst_ORG` IDENTIFIED WITH sha256_password BY 'PASSWORD';
GRANT analyst TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_fact USING x_OrgId = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.metric_sample USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.resource_state USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_daily_slot USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_day USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_service_daily_slot USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.security_event USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.team_state USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.team_assignment USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.resource_group_state USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.resource_group_member USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.accepted_tag USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.billed_tag USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.closed_assignment USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.snapshot_state USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.saving_daily USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.unit_metric_value USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_day_kept USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.cost_daily_kept USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.anomaly_state USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.scheduler_event USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.resource_change USING org_id = 'ORG' TO `analyst_ORG`;
CREATE ROW POLICY OR REPLACE `ORG` ON tidemark.bill_line USING x_OrgId = 'ORG' TO `analyst_ORG`;
CREATE QUOTA OR REPLACE `analyst_ORG` KEYED BY user_name FOR INTERVAL 1 hour MAX queries = 3600, execution_time = 1800 TO `analyst_ORG`;
