alter table "export_file" drop constraint "export_file_format_check";
alter table "export_file" add constraint "export_file_format_check" check ("format" in ('csv', 'json', 'parquet'));
