variable "bucket" {
  description = "The name of the bucket."
  type        = string
}

variable "prefix" {
  description = "Where the store is in the bucket: STORE is s3://bucket/prefix."
  type        = string
  default     = "store"
}

variable "tiles_host" {
  description = "The host that maps read tiles from."
  type        = string
}

variable "certificate_arn" {
  description = "The certificate of that host, in us-east-1."
  type        = string
}
