-- What lets analysts ask this ClickHouse by the port of the edges, each their own organization. Run as a user with access
-- management, with a password for PASSWORD, again after every upgrade that added tables. The database is tidemark and so is
-- the service's user. Then tell the edges: CLICKHOUSE_ANALYSTS_URL=http://tidemark_analyst:PASSWORD@HOST:8123
-- Printed by `tidemark analyst rights` from the tables there are.
--
-- Whose rows are seen follows from the database one asks in: all in the service's, those of one organization in org_<id>, which
-- the edges make and fill with views that run as the service (SQL SECURITY DEFINER).
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_fact USING currentDatabase() = 'tidemark' OR (x_OrgId = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_line_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.metric_sample USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_day USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_service_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.security_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36) AND endsWith(currentDatabase(), '_security')) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.team_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.team_assignment USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_group_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_group_member USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.accepted_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.billed_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_assignment USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.snapshot_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.saving_daily USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.unit_metric_value USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_day_kept USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_daily_kept USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.anomaly_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.scheduler_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.resource_change USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.bill_line USING currentDatabase() = 'tidemark' OR (x_OrgId = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.state_history USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.action_submission USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.notification_delivery USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.allocated_resource USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.shared_cost_rule USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_allocation USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_shared_rule USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_share USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.closed_tag USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.recommendation_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.usage_daily_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.workflow_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.policy_event USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.plan_log USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.fact_sheet USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_node USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_pod USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_object USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_cost_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_workload_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_namespace_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.cost_month USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.kubernetes_idle_slot USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.account_state USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.bill_shadow USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;
CREATE ROW POLICY OR REPLACE organization ON tidemark.sub_account_name USING currentDatabase() = 'tidemark' OR (org_id = substring(currentDatabase(), 5, 36)) TO ALL;

-- The edges check every statement, and give it these limits or less; they set how answers are written, so readonly is 2.
CREATE SETTINGS PROFILE OR REPLACE analyst SETTINGS readonly = 2, max_execution_time = 10 MAX 10,
  max_memory_usage = 268435456 MAX 268435456, max_result_rows = 100000 MAX 100000, max_threads = 2 MAX 2,
  max_block_size = 1024 MAX 1024, function_range_max_elements_in_block = 10000000 MAX 10000000;
-- No table, nothing of system: its configuration must say select_from_system_db_requires_grant, as the default one does.
CREATE USER OR REPLACE tidemark_analyst IDENTIFIED WITH sha256_password BY 'PASSWORD' SETTINGS PROFILE 'analyst';
GRANT SELECT ON org_*.* TO tidemark_analyst;
-- That lets it list the databases of all organizations; it sees the one it asks in.
CREATE ROW POLICY OR REPLACE organization ON system.columns USING database = currentDatabase() TO tidemark_analyst;
CREATE ROW POLICY OR REPLACE organization ON system.databases USING name = currentDatabase() TO tidemark_analyst;
CREATE ROW POLICY OR REPLACE organization ON system.tables USING database = currentDatabase() TO tidemark_analyst;

-- The service makes the databases and lends the views its rights.
GRANT CREATE DATABASE, CREATE VIEW, DROP DATABASE, SELECT ON org_*.* TO tidemark;
GRANT SET DEFINER ON tidemark TO tidemark;
